"""What runs on the other side: reads a host's layout, grades one submission, writes its file."""
