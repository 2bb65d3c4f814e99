"""Before anything is protected: an example, a schema proposed, hierarchies made."""
