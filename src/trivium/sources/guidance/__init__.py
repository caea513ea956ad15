"""What an agent was taught: skills, rules and memories, in the files where people and hosts keep them."""
