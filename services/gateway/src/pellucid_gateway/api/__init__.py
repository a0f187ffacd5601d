"""The doors of the gateway: thin translators between wire shapes and the engine."""
