"""HTTP manners of every face: admission, bodies, errors, streams."""
