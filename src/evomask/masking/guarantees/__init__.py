"""What every released file fulfils: a requirement, edit rules, and the repair to both."""
