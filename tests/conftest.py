"""Makes the toy problems beside this file importable from every test."""
