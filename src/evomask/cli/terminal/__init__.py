"""Shared parts of the commands: options, help, output and the live view."""
