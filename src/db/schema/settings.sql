-- Settings of the organization.

create function keep_config_author() returns trigger language plpgsql as $$
begin
  new.last_modified_by := coalesce(
    (select id from users where id = acting_user()), new.last_modified_by);
  return new;
end $$;
create trigger author before insert or update on app_config
  for each row execute function keep_config_author();
