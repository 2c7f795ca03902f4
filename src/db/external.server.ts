import { openConnection } from './connect'
import { Refusal, diskFull, saysDiskFull } from './refusal'
import type { DatabaseUrls } from './roles.server'

const oldestPostgres = 15
/** What the migrations create. */
const extensions = ['pg_trgm', 'unaccent', 'btree_gist', 'pgcrypto']

type Name = 'DATABASE_URL' | 'DATABASE_OWNER_URL'

/**
 * Checks that the settings lead to a database that Sanad can use. Throws a Refusal that says what is wrong.
 */
export async function checkExternalDatabase({ appUrl, ownerUrl }: DatabaseUrls): Promise<void> {
  const isOne = appUrl === ownerUrl
  const owner = await reach(isOne ? 'DATABASE_URL' : 'DATABASE_OWNER_URL', ownerUrl)
  try {
    const { rows } = await owner.client.query<Facts>(factsQuery, [extensions])
    const problem = rows[0] && whatIsWrong(rows[0], isOne)
    if (problem) throw new Refusal(`The database in ${owner.name} (${owner.place}) ${problem}.`)
  } finally {
    await owner.client.end()
  }
  if (!isOne) await (await reach('DATABASE_URL', appUrl)).client.end()
}

async function reach(name: Name, url: string) {
  const place = placeOf(name, url)
  const client = await openConnection(url).catch((error: unknown) => {
    throw cannotConnect(name, place, error)
  })
  return { name, place, client }
}

/** Host, port and database, for messages: never the password. */
function placeOf(name: Name, url: string) {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new Refusal(
      `${name} is not a PostgreSQL address: it looks like postgres://user:password@host:5432/database.`,
    )
  }
  return `${parsed.host || parsed.searchParams.get('host') || 'localhost'}${parsed.pathname}`
}

function cannotConnect(name: Name, place: string, error: unknown) {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (saysDiskFull(message)) return diskFull(`the database ${place}`)
  return new Refusal(
    `The database in ${name} (${place}) cannot be used: ${reason(code, message)}.`,
    {
      cause: error,
    },
  )
}

function reason(code: string, message: string) {
  if (code === 'ECONNREFUSED') return 'nothing answers there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host name is not known'
  if (/timeout|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/i.test(code + message))
    return 'its host cannot be reached'
  if (code === '28P01' || code === '28000') return 'it refuses the user name or the password'
  if (code === '3D000') return 'there is no database of that name'
  if (code === '53300') return 'it has no connection left'
  if (code === '57P03') return 'it is starting up or shutting down'
  return message.replace(/\.$/, '') || code || 'the connection failed'
}

type Facts = {
  version: number
  encoding: string
  absent: string[]
  uncreatable: string[]
  can_create_tables: boolean
}

const factsQuery = `
  select current_setting('server_version_num')::int as version,
         current_setting('server_encoding') as encoding,
         array(select name from unnest($1::text[]) name
               where name not in (select a.name from pg_available_extensions a)) as absent,
         array(select name from unnest($1::text[]) name
               where name not in (select extname from pg_extension)
                 and not has_database_privilege(current_database(), 'create')) as uncreatable,
         coalesce(has_schema_privilege(current_schema(), 'create'), false) as can_create_tables`

function whatIsWrong(facts: Facts, isOne: boolean) {
  const orOwner = isOne ? ', or name the owner in DATABASE_OWNER_URL' : ''
  if (facts.version < oldestPostgres * 10_000) {
    return `is PostgreSQL ${Math.floor(facts.version / 10_000)}, and Sanad needs ${oldestPostgres} or later`
  }
  if (facts.encoding !== 'UTF8') return `has the encoding ${facts.encoding}, and Sanad needs UTF8`
  if (facts.absent.length)
    return `lacks the extensions ${facts.absent.join(', ')}: install PostgreSQL's contrib package`
  if (facts.uncreatable.length) {
    return (
      `does not let its user create the extensions ${facts.uncreatable.join(', ')}: ` +
      `make this user the owner of the database${orOwner}`
    )
  }
  if (!facts.can_create_tables)
    return `does not let its user create tables: make that user the owner of the database${orOwner}`
  return undefined
}
