-- Programs that sign in by themselves (docs/exchange.md, "Programs that sign in by themselves"): SMART Backend Services.

create table api_clients (
  id                uuid primary key,
  name              text not null constraint api_clients_name_check check (name <> ''),
  -- the user whose rights limit those of the program
  user_id           uuid not null constraint api_clients_user_id_fkey references users deferrable,
  -- separated by spaces: system/Patient.rs
  scopes            text not null constraint api_clients_scopes_check check (scopes <> ''),
  -- the public keys of the program, as a JSON Web Key Set
  jwks              text not null
    constraint api_clients_jwks_check check (jsonb_typeof(jwks::jsonb -> 'keys') = 'array'),
  is_active         boolean not null default true,
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
-- Both trails name the user: of one user's entries it is known which program made them.
create unique index api_clients_user_key on api_clients (user_id) where is_active and not is_deleted;

-- Assertions that were used: none counts twice. Each is forgotten after it has expired.
create table api_client_assertions (
  client_id  uuid not null references api_clients on delete cascade deferrable,
  jti        text not null constraint api_client_assertions_jti_check check (length(jti) between 1 and 255),
  expires_at timestamptz(3) not null,
  primary key (client_id, jti)
);
create index api_client_assertions_expires_idx on api_client_assertions (expires_at);

-- client: what such a program holds for five minutes: FHIR, within `scopes`.
alter table sessions
  drop constraint sessions_kind_check,
  add constraint sessions_kind_check check (kind in ('browser', 'token', 'phone', 'pending', 'client')),
  add column client_id uuid references api_clients on delete cascade,
  add column scopes text,
  add constraint sessions_client_check
    check ((kind = 'client') = (client_id is not null) and (kind = 'client') = (scopes is not null));
create index sessions_client_idx on sessions (client_id) where client_id is not null;

-- An export that a program asked for holds what its scopes allow, for that program alone.
alter table fhir_exports
  add column client_id uuid references api_clients deferrable,
  add column scopes text,
  add constraint fhir_exports_client_check check ((client_id is null) = (scopes is null));
create index fhir_exports_client_idx on fhir_exports (client_id) where client_id is not null;
