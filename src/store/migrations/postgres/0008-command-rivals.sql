-- compatible
-- Whether another command may have had the same effect is asked of those that are open, and of those that were sent lately.
CREATE INDEX commands_by_mutation ON commands (mutation, state, sent_at);
