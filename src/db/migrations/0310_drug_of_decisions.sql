-- A decision about what was dispensed without a prescription is about that medicine of the catalogue: others of its name
-- have another strength, form or route, and are taken on. Phones do not know the table.
alter table medicine_decisions
  add column drug_id uuid references drug_catalogue deferrable,
  add constraint medicine_decisions_drug_check check (
    drug_id is null or kind = 'prescribed' and prescription_item_id is null);
create index medicine_decisions_drug_idx on medicine_decisions (drug_id) where drug_id is not null;

-- earlier decisions have only its name: where the patient had two medicines of the name, both are asked about again
update medicine_decisions m set drug_id = named.drug_id
from (
  select d.id, min(r.drug_id::text)::uuid as drug_id
  from medicine_decisions d
    join dispensing_records r on r.patient_id = d.patient_id
    join drug_catalogue g on g.id = r.drug_id and d.name = case
      when g.brand_name <> '' and g.brand_name <> g.generic_name then g.generic_name || ' (' || g.brand_name || ')'
      else g.generic_name end
  where d.kind = 'prescribed' and d.prescription_item_id is null
  group by d.id having count(distinct r.drug_id) = 1
) as named
where m.id = named.id;
