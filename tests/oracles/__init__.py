"""Programs of others that check our answers, each in an environment of its own."""
