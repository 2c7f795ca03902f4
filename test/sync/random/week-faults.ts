/** What is broken on purpose, to show that the checks find it. */
export const weekFaults: Record<string, { rule: string; sql: string }> = {
  'ways-apart': {
    rule: 'a phone that scanned both codes is one phone',
    sql: `create function sabotage() returns trigger language plpgsql as $$
        begin new.app_password_id := null; return new; end $$;
      create trigger sabotage before insert or update on sync_chains
        for each row execute function sabotage()`,
  },
  'online-without-visit': {
    rule: 'a form of the online mode belongs to a visit',
    sql: `create function sabotage() returns trigger language plpgsql as $$
        begin if current_setting('sanad.action', true) like 'rpc%' then new.visit_id := null; end if;
        return new; end $$;
      create trigger sabotage before insert on events for each row execute function sabotage()`,
  },
  'newer-columns-dropped': {
    rule: 'columns of a newer app stay',
    sql: `create function sabotage() returns trigger language plpgsql as $$
        begin new.unknown_columns := '{}'; return new; end $$;
      create trigger sabotage before update on patients for each row execute function sabotage()`,
  },
  'bases-forgotten': {
    rule: 'JSON columns are merged by what the phone had seen',
    sql: `create function sabotage() returns trigger language plpgsql as $$
        begin new.changes := new.changes - 'form_data' - 'departments'; return new; end $$;
      create trigger sabotage before insert on audit_log for each row execute function sabotage()`,
  },
  'conflicts-dropped': {
    rule: 'a value that lost is in the list',
    sql: `create function sabotage() returns trigger language plpgsql as $$
        begin return null; end $$;
      create trigger sabotage before insert on sync_conflicts
        for each row execute function sabotage()`,
  },
}
