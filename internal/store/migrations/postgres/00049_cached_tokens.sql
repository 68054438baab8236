-- +goose Up
-- Of the input tokens of model calls: how many the provider had in its cache, and how
-- many it put there and billed as such. estimated_tokens is what errand took the input
-- for, where the provider counted it: what the next estimates are mended by.
ALTER TABLE usage ADD COLUMN cached_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN written_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage ADD COLUMN estimated_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN cached_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE usage_days ADD COLUMN written_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE budgets ADD COLUMN cached BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN cached_tokens BIGINT NOT NULL DEFAULT 0;
