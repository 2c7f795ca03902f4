/*
 * The secret tables and columns of the database, each once. A test goes through all tables: a column
 * with a telling name or with bytes is in one of these lists.
 */

/**
 * Tables that no backup holds. They are temporary or belong to the machine: sessions, assertions of
 * programs, links of waiting-room screens, handshakes of phones on the clinic's network, wrong guesses,
 * codes of a set-up, the list of the backups. Or the restore makes them: which migrations ran, and what phones
 * receive of each row. Names, and patterns of LIKE.
 */
export const LEFT_OUT = [
  'api_client_assertions',
  'backups',
  'board_links',
  'hub_keys',
  'hub_nonces',
  'instance_keys',
  'schema_in_force',
  'schema_migrations',
  'sessions',
  'setup_codes',
  'wrong_guesses',
  'wire\\_%',
]

/** Credentials: a backup holds them only if a passphrase seals it, and so does the instance key. */
export const SECRET_TABLES = [
  'credentials',
  'credentials_bcrypt',
  'recovery_codes',
  'second_factors',
]

/** Secret columns of other tables, and the SQL that an unsealed backup holds in their place. */
export const SECRET_COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // other tables refer to these rows; no code has this hash, and a restore revokes them all
  app_passwords: { code_hash: 'uuid_send(id)' },
  dhis2_server: { sealed_secret: 'null' },
  message_gateway: { sealed_secret: 'null' },
}

/** A column with such a name holds a secret, unless PUBLIC_COLUMNS says what it holds. So does one of bytes. */
export const TELLING =
  /passw|passphrase|secret|token|hash|key|credential|(^|_)(code|factor|nonce|salt|seed|otp|pin)(_|$)/

/** Columns that are not secret in spite of their names: `table.column`. */
export const PUBLIC_COLUMNS = [
  'access_log.app_password_id',
  'app_config.key',
  'audit_blocks.hash',
  'audit_blocks.previous',
  'clinic_departments.code',
  'external_codes.code',
  'external_codes.option_code',
  'follow_up_calls.schedule_code',
  'follow_up_items.schedule_code',
  'follow_up_schedules.code',
  'hub_phones.app_password_id',
  'hub_phones.public_key',
  'import_parts.bytes',
  'import_rows.columns',
  'imports.key_column',
  'message_gateway.country_code',
  'message_texts.schedule_code',
  'messages.schedule_code',
  'override_confirmations.warning_key',
  'patient_allergies.substance_code',
  'patient_problems.problem_code',
  'patient_problems.problem_code_system',
  'patient_search.keys',
  'prescription_sets.problem_code',
  'prescription_sets.problem_code_system',
  'problem_codes.code',
  'report_cells.rows_hash',
  'report_definitions.code',
  'safety_overrides.reason_code',
  'sync_chains.app_password_id',
  // of an id that opens nothing
  'sync_chains.cookie_hash',
]
