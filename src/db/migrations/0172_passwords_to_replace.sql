-- Whether the owner must replace a password of a former server at its first use here. True for what is imported from
-- now on: an administrator of that server may have chosen it. Passwords that were imported before keep their rule.
alter table credentials_bcrypt add column must_change boolean not null default false;
alter table credentials_bcrypt alter column must_change set default true;
