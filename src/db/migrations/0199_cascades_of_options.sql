-- Tables of options that depend on the answer to another field, by the id of the field that they belong to:
-- {"<field>": {"parent": "<field>", "rows": [["district", "village"], ...]}}. Phones do not know the column: to them the
-- field is a text.
alter table registration_forms add column cascades jsonb not null default '{}'
  constraint registration_forms_cascades_check check (jsonb_typeof(cascades) = 'object');
