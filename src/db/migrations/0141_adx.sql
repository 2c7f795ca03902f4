-- Reports as ADX (IHE QRPH, Aggregate Data Exchange), beside the JSON of DHIS2.

-- Of a column, row or cell: the categories of its values and their options, "AGEGROUP=U5; SEX=M".
alter table external_codes
  add column adx text constraint external_codes_adx_check
    check (adx is null or length(adx) between 3 and 500 and section is not null);

alter table report_sendings
  add column format text not null default 'json' constraint report_sendings_format_check
    check (format in ('json', 'adx'));
comment on column report_sendings.payload is 'as it is sent: JSON of DHIS2, or ADX';
