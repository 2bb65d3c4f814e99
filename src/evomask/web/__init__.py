"""The web app, on loopback: pages, and the interface at ``/api`` that they are made of."""
