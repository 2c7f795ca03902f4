-- The same bodies, read once, when the functions are created: so the planner writes both into a statement, and they need
-- no search path of their own. A search of FHIR by name compares thousands of names. The indexes stay as they are.
do $$
declare
  inlined text;
begin
  foreach inlined in array array['fold_text', 'fhir_text'] loop
    execute (
      select format('create or replace function %I(t text) returns text language sql immutable strict parallel safe
        return %s', proname, regexp_replace(prosrc, '^\s*select\s|;\s*$', '', 'gi'))
      from pg_proc where oid = format('%I(text)', inlined)::regprocedure
    );
  end loop;
end $$;
