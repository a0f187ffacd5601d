"""Start the gateway: `python -m pellucid_gateway [--check]`."""

from pellucid_runtime.loading import loading

with loading():
    from pellucid_gateway.app import build
    from pellucid_gateway.settings import GatewaySettings
    from pellucid_runtime.llm.probe import tried_models
    from pellucid_runtime.service import run


def main() -> None:
    """Run until a signal."""
    run(build, GatewaySettings, check=tried_models)


if __name__ == "__main__":
    main()
