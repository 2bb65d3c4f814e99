"""Information loss and disclosure risk of a masked file under changes of single cells."""
