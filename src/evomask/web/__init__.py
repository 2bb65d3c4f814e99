"""The web app: pages and an HTTP interface for runs in a folder, on the loopback interface."""
