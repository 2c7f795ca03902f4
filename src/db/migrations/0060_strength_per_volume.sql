-- The quantity that a strength refers to: 250 mg per 5 mL, 100 units per 1 mL. The strengths of a combination, in the order
-- of its ingredients: "500 mg + 125 mg". Phones do not know these columns: they read quantity and unit as before.
alter table drug_catalogue
  add column per_quantity numeric constraint drug_catalogue_per_quantity_check check (per_quantity > 0),
  add column per_unit text constraint drug_catalogue_per_unit_check
    check (per_unit in ('mL', 'g', 'dose', 'actuation', 'drop', 'hour', 'vial', 'sachet')),
  add column ingredient_strengths text constraint drug_catalogue_ingredient_strengths_check
    check (ingredient_strengths ~ '^\d+(\.\d+)? (mg|g|mcg|mL|L|units)( \+ \d+(\.\d+)? (mg|g|mcg|mL|L|units))+$'),
  add constraint drug_catalogue_per_check check ((per_quantity is null) = (per_unit is null));
