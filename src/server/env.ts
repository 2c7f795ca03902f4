import { isIP } from 'node:net'
import { join } from 'node:path'
import { Refusal } from '~/db/refusal'
import { perProcess } from '~/db/per-process'
import { isTimeZone } from '~/shared/is-time-zone'
import { parseDsn } from './error-report'

/** Every setting, read from the environment once. README lists them for people. */
export type Env = ReturnType<typeof readEnv>

export const env = () => perProcess('env', () => readEnv(process.env))

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

type Source = Record<string, string | undefined>

/** Throws a Refusal that names the first setting that makes no sense. */
export function readEnv(source: Source) {
  const text = (name: string) => source[name]?.trim() || undefined
  const tlsCert = text('SANAD_TLS_CERT')
  const tlsKey = text('SANAD_TLS_KEY')
  if (!tlsCert !== !tlsKey)
    throw new Refusal('SANAD_TLS_CERT and SANAD_TLS_KEY belong together: set both, or neither.')
  const timeZone = text('SANAD_TIME_ZONE')
  if (timeZone && !isTimeZone(timeZone))
    throw new Refusal(`SANAD_TIME_ZONE is a name like Asia/Beirut, and "${timeZone}" is none.`)
  const metricsPort = text('SANAD_METRICS_PORT')
  const logLevel = text('SANAD_LOG_LEVEL') ?? 'info'
  if (!isKnownValue(logLevels, logLevel))
    throw new Refusal(`SANAD_LOG_LEVEL is one of ${logLevels.join(', ')}.`)
  const sentryDsn = text('SENTRY_DSN')
  if (sentryDsn && !parseDsn(sentryDsn))
    throw new Refusal(
      'SENTRY_DSN is an address like https://key@sentry.example/1, as Sentry shows it.',
    )
  if (text('DATABASE_OWNER_URL') && !text('DATABASE_URL'))
    throw new Refusal(
      'DATABASE_OWNER_URL is the owner of the database in DATABASE_URL: set both, or neither.',
    )
  for (const name of ['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'])
    if (text(name) && !text('DATABASE_URL'))
      throw new Refusal(`${name} needs the database in DATABASE_URL: set both, or neither.`)
  const bodyLimit = megabytes('SANAD_BODY_LIMIT_MB', text('SANAD_BODY_LIMIT_MB') ?? '25')
  return {
    host: text('HOST') ?? '127.0.0.1',
    port: port('PORT', text('PORT') ?? '3000'),
    dataDir: text('SANAD_DATA_DIR') ?? 'data',
    /** Of the application's role; of the only role if the next is not set. */
    databaseUrl: text('DATABASE_URL'),
    /** Of the role that owns the tables: for the start, a restore and the seed. */
    databaseOwnerUrl: text('DATABASE_OWNER_URL'),
    /** PostgreSQL itself, as the application's role, where DATABASE_URL is a pooler in front of it. */
    databaseDirectUrl: text('DATABASE_DIRECT_URL'),
    /** A hot standby, as the application's role: lists, exports and reports read from it. */
    databaseReplicaUrl: text('DATABASE_REPLICA_URL'),
    /** Photos and documents: one directory for all machines that share a database. */
    filesDir: text('SANAD_FILES_DIR') ?? join(text('SANAD_DATA_DIR') ?? 'data', 'files'),
    /** It was named, so it may be a mount: it is never created. */
    isFilesDirNamed: text('SANAD_FILES_DIR') !== undefined,
    /** Makes backups although files that records refer to are missing. */
    allowsMissingFiles: text('SANAD_ALLOW_MISSING_FILES') === 'yes',
    /** Upgrades the database without a backup of the state before. */
    skipsUpgradeBackup: text('SANAD_SKIP_UPGRADE_BACKUP') === 'yes',
    /** Refuses to start where the application could rewrite the audit trail. */
    requiresRoles: text('SANAD_REQUIRE_DB_ROLES') === 'yes',
    /** Set together. */
    tls: tlsCert && tlsKey ? { cert: tlsCert, key: tlsKey } : undefined,
    trustedProxies: list(text('SANAD_TRUSTED_PROXIES')).map(proxy),
    /** Through which servers outside of the clinic's network are reached. */
    outgoingProxy: outgoingProxy(text('SANAD_OUTGOING_PROXY')),
    /** Plain http on the network, where anyone reads the passwords. */
    insecureHttp: text('SANAD_INSECURE_HTTP') === 'yes',
    /** More names under which browsers may reach Sanad. */
    hosts: list(text('SANAD_HOSTS')).map((name) => name.toLowerCase()),
    /** The listener for phones on the clinic's own network, which an administrator switches on. */
    hubHost: text('SANAD_HUB_HOST') ?? '0.0.0.0',
    hubPort: port('SANAD_HUB_PORT', text('SANAD_HUB_PORT') ?? '3080'),
    /** Serves the sample pages under /demo, to users without an account as well. */
    hasDemoPages: text('SANAD_DEMO_PAGES') === 'yes',
    logLevel,
    metricsPort: metricsPort ? port('SANAD_METRICS_PORT', metricsPort) : undefined,
    metricsToken: text('SANAD_METRICS_TOKEN'),
    /** Bytes on disk, of answers that wait for slow readers. */
    spoolLimit: megabytes('SANAD_SPOOL_LIMIT_MB', text('SANAD_SPOOL_LIMIT_MB') ?? '2048'),
    /** Bytes. */
    bodyLimit,
    /** Bytes of a push of a phone whose credentials are valid: it is kept on disk. */
    pushLimit: Math.max(
      bodyLimit,
      megabytes('SANAD_PUSH_LIMIT_MB', text('SANAD_PUSH_LIMIT_MB') ?? '256'),
    ),
  }
}

function outgoingProxy(address: string | undefined): URL | undefined {
  if (!address) return undefined
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'http:' || !url.hostname || url.pathname !== '/')
    throw new Refusal('SANAD_OUTGOING_PROXY is an address like http://proxy.example:3128.')
  return url
}

const isKnownValue = <T extends string>(values: readonly T[], value: string): value is T =>
  values.some((known) => known === value)

const list = (text = '') =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

function port(name: string, text: string) {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new Refusal(`${name} is a port number, not "${text}".`)
  return value
}

function megabytes(name: string, text: string) {
  const value = Number(text)
  if (!(value > 0)) throw new Refusal(`${name} is a number of megabytes, not "${text}".`)
  return value * 1024 * 1024
}

export type Proxy = { address: string; prefix: number; family: 'ipv4' | 'ipv6' }

/** An address, or a range of them: 10.0.0.7, 10.0.0.0/8, fd00::/8. */
function proxy(text: string): Proxy {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  const whole = version === 6 ? 128 : 32
  const prefix = bits === undefined ? whole : Number(bits || NaN)
  if (
    !version ||
    rest.length ||
    !Number.isInteger(prefix) ||
    prefix < 0 ||
    prefix > (version === 6 ? 128 : 32)
  ) {
    throw new Refusal(
      `SANAD_TRUSTED_PROXIES lists addresses like 10.0.0.7 or 10.0.0.0/8, and "${text}" is none.`,
    )
  }
  return { address, prefix, family: version === 6 ? 'ipv6' : 'ipv4' }
}
