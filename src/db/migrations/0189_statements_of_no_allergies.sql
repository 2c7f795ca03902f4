-- A merge, an import or the trash left statements that there are no allergies beside active allergies. From now on a
-- trigger ends them.
update patient_allergies n set status = 'refuted', updated_at = now()
where n.substance_kind = 'none_known' and n.status = 'active' and not n.is_deleted
  and exists (
    select from patient_allergies a
    where a.patient_id = n.patient_id and a.substance_kind <> 'none_known' and a.status = 'active'
      and not a.is_deleted);
