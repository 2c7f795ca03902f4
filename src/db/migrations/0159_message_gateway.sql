-- The one gateway that sends text messages.
create table message_gateway (
  is_the_one    boolean primary key default true constraint message_gateway_one_check check (is_the_one),
  kind          text not null constraint message_gateway_kind_check check (kind in ('android', 'webhook')),
  -- as `http://192.168.1.20:8080`; of a webhook the whole address
  address       text not null,
  -- null: a webhook, which knows the messages by their signature
  username      text,
  -- password, or the key of the signature, encrypted with the instance key; null after a restore from an
  -- unsealed backup
  sealed_secret bytea,
  -- in front of numbers without one: `963`
  country_code  text not null constraint message_gateway_country_check check (country_code ~ '^[1-9][0-9]{0,2}$'),
  last_modified timestamptz(3) not null default clock_timestamp(),
  constraint message_gateway_username_check check ((kind = 'android') = (username is not null))
);
