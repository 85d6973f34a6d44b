"""The memory's server: the Model Context Protocol over HTTP and stdio, thin over echo_memory."""
