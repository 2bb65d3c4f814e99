"""Published measures of information loss and disclosure risk, as the papers define them."""
