"""The Python interface: functions on data frames, whose public names are in `evomask`."""
