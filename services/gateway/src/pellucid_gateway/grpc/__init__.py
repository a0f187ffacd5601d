"""gateway.v1 over gRPC, for callers inside the cluster."""
