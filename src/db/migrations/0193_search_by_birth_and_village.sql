-- Every patient is found by the date of birth and by the village or camp, from now on by refresh_patient_search().
update patient_search s set
  keys = s.keys || array_remove(case coalesce(p.metadata ->> 'date_of_birth_precision', 'day')
    when 'year' then '{}'::text[]
    when 'age' then '{}'::text[]
    when 'month' then array['b:' || to_char(p.date_of_birth, 'YYYY-MM')]
    when 'week' then array['b:' || to_char(p.date_of_birth, 'YYYY-MM')]
    else array['b:' || to_char(p.date_of_birth, 'YYYY-MM-DD'), 'b:' || to_char(p.date_of_birth, 'YYYY-MM')]
  end, null),
  more = s.more || coalesce(' ' || nullif(search_text(concat_ws(' ', p.hometown, p.camp)), '') || ' ', '')
from patients p
where p.id = s.patient_id and (p.date_of_birth is not null or p.hometown is not null or p.camp is not null);
