import { openConnection } from './connect'
import { splitHosts } from './hosts'
import { Refusal, diskFull, saysDiskFull } from './refusal'
import type { DatabaseUrls } from './roles.server'

const oldestPostgres = 15
/** What the migrations create. */
const extensions = ['pg_trgm', 'unaccent', 'btree_gist', 'pgcrypto']

type SettingName = 'DATABASE_URL' | 'DATABASE_OWNER_URL' | 'DATABASE_DIRECT_URL'

/**
 * Checks that the settings lead to a database that Sanad can use. Throws a Refusal that says what is wrong.
 */
export async function checkExternalDatabase(urls: DatabaseUrls): Promise<void> {
  const { appUrl, ownerUrl, directUrl } = urls
  const isOne = ownerUrl === (directUrl ?? appUrl)
  const direct = directUrl ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'
  const owner = await connectTo(isOne ? direct : 'DATABASE_OWNER_URL', ownerUrl)
  try {
    const { rows } = await owner.client.query<ServerFacts>(factsQuery, [extensions])
    const problem = rows[0] && describeProblem(rows[0], isOne)
    if (problem) throw new Refusal(`The database in ${owner.name} (${owner.place}) ${problem}.`)
  } finally {
    await owner.client.end()
  }
  if (directUrl && !isOne) await (await connectTo('DATABASE_DIRECT_URL', directUrl)).client.end()
  const isPooled = directUrl !== undefined
  if (appUrl !== ownerUrl) await (await connectTo('DATABASE_URL', appUrl, isPooled)).client.end()
}

async function connectTo(name: SettingName, url: string, isPooled = false) {
  const place = databasePlace(name, url)
  const client = await openConnection(url, { isPooled }).catch((error: unknown) => {
    throw cannotConnect(name, place, error)
  })
  return { name, place, client }
}

/** Host, port and database, for messages: never the password. */
function databasePlace(name: SettingName, url: string) {
  const hosts = splitHosts(url).map((each) => (URL.canParse(each) ? new URL(each) : undefined))
  if (!hosts.every((host) => host && /^postgres(ql)?:$/.test(host.protocol))) {
    throw new Refusal(
      `${name} is not a PostgreSQL address: it looks like postgres://user:password@host:5432/database.`,
    )
  }
  const names = hosts.map((host) => host!.host || host!.searchParams.get('host') || 'localhost')
  return `${names.join(',')}${hosts[0]!.pathname}`
}

function cannotConnect(name: SettingName, place: string, error: unknown) {
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
  if (/unsupported startup parameter/.test(message))
    return (
      `the pooler there answers "${message}": name PostgreSQL itself in DATABASE_DIRECT_URL, ` +
      'and Sanad no longer sends that parameter to the pooler'
    )
  if (code === READ_ONLY) return 'every host in it is read-only: name the primary, too'
  if (code === 'ECONNREFUSED') return 'nothing answers there'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host name is not known'
  if (
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|\btimeout (expired|exceeded)|due to .*timeout/.test(
      `${code} ${message}`,
    )
  )
    return 'its host cannot be reached'
  if (code === '28P01' || code === '28000') return 'it refuses the user name or the password'
  if (code === '3D000') return 'there is no database of that name'
  if (code === '53300') return 'it has no connection left'
  if (code === '57P03') return 'it is starting up or shutting down'
  return message.replace(/\.$/, '') || code || 'the connection failed'
}

const READ_ONLY = '25006'

type ServerFacts = {
  is_standby: boolean
  is_read_only: boolean
  version: number
  encoding: string
  absent: string[]
  uncreatable: string[]
  can_create_tables: boolean
}

const factsQuery = `
  select pg_is_in_recovery() as is_standby,
         current_setting('transaction_read_only') = 'on' as is_read_only,
         current_setting('server_version_num')::int as version,
         current_setting('server_encoding') as encoding,
         array(select name from unnest($1::text[]) name
               where name not in (select a.name from pg_available_extensions a)) as absent,
         array(select name from unnest($1::text[]) name
               where name not in (select extname from pg_extension)
                 and not has_database_privilege(current_database(), 'create')) as uncreatable,
         coalesce(has_schema_privilege(current_schema(), 'create'), false) as can_create_tables`

function describeProblem(facts: ServerFacts, isOne: boolean) {
  const orOwner = isOne ? ', or name the owner in DATABASE_OWNER_URL' : ''
  if (facts.version < oldestPostgres * 10_000) {
    return `is PostgreSQL ${Math.floor(facts.version / 10_000)}, and Sanad needs ${oldestPostgres} or later`
  }
  if (facts.is_standby) return 'is a standby, which is read-only: name the primary'
  if (facts.is_read_only) return 'is read-only: switch default_transaction_read_only off'
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
