-- The Arabic label of 0007 asks where a person was born; the field is the town that the family comes from (docs/terms.md).
-- A label that a clinic has reworded stays. Texts of a form are stored through encodeURI.
update registration_forms set fields = (
    select jsonb_agg(
      case when field ->> 'column' = 'hometown' and field #>> '{label,ar}' = '%D9%85%D8%B3%D9%82%D8%B7%20%D8%A7%D9%84%D8%B1%D8%A3%D8%B3'
        then jsonb_set(field, '{label,ar}', '"%D8%A7%D9%84%D8%A8%D9%84%D8%AF%D8%A9%20%D8%A7%D9%84%D8%A3%D8%B5%D9%84%D9%8A%D8%A9"') else field end
      order by at)
    from jsonb_array_elements(fields) with ordinality as stored (field, at))
where fields @> '[{"column": "hometown", "label": {"ar": "%D9%85%D8%B3%D9%82%D8%B7%20%D8%A7%D9%84%D8%B1%D8%A3%D8%B3"}}]';
