import { type Kysely, sql } from 'kysely'
import * as z from 'zod'
import type { DB } from '~/db/types'
import { clientToken, TOKEN_SECONDS } from '~/features/office/sessions/issue.server'
import { guessed, guessInTurn } from '~/features/office/sessions/passwords/throttle.server'
import { audit } from '~/server/audit'
import { networkAddress } from '~/server/http-client.server'
import { type OpenContext, openMutation } from '~/server/operation'
import { scopesGranted } from '~/shared/fhir-scopes'
import { claimedIssuer, NOT_SIGNED, verified } from './assertion.server'

/** The form of a client credentials request with a signed assertion (RFC 6749, section 4.4; RFC 7523, section 2.2). */
export const TokenRequest = z.object({
  grant_type: z.string().max(200).optional(),
  scope: z.string().max(4000).optional(),
  client_assertion_type: z.string().max(200).optional(),
  client_assertion: z.string().max(8000).optional(),
  /** Where the assertion must be addressed to. */
  audience: z.url(),
})

/** The errors of RFC 6749, section 5.2, that this grant has. */
type OAuthError = 'invalid_request' | 'invalid_client' | 'invalid_scope' | 'unsupported_grant_type'
/** A value, not an error: the counted guess must stay written. */
const refused = (error: OAuthError, description: string) => ({
  ok: false as const,
  error,
  description,
})

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/**
 * A token for a program that signs with its own key (SMART Backend Services). It opens FHIR alone, for five minutes,
 * within the scopes of the program and the rights of its user.
 */
export const issueToken = openMutation('fhir.token', {
  input: TokenRequest,
  allow: () => true,
  inTurn: guessInTurn,
  async run(ctx, { grant_type, scope = '', client_assertion_type, client_assertion, audience }) {
    if (!grant_type) return refused('invalid_request', 'grant_type is missing.')
    if (grant_type !== 'client_credentials')
      return refused('unsupported_grant_type', 'grant_type must be client_credentials.')
    if (client_assertion_type !== ASSERTION_TYPE)
      return refused('invalid_client', `client_assertion_type must be ${ASSERTION_TYPE}.`)
    if (!client_assertion) return refused('invalid_client', 'client_assertion is missing.')
    const client = await verifySigner(ctx, client_assertion, audience)
    if ('problem' in client) return refused('invalid_client', client.problem)
    const granted = scopesGranted(scope, client.scopes)
    if (granted === '') return refused('invalid_scope', `This client may have: ${client.scopes}.`)
    await auditDaily(ctx, client)
    return {
      ok: true as const,
      access_token: await clientToken(ctx, {
        userId: client.user_id,
        clientId: client.id,
        scopes: granted,
      }),
      expires_in: TOKEN_SECONDS,
      scope: granted,
    }
  },
})

type Client = NonNullable<Awaited<ReturnType<typeof activeClient>>>

/** The program that signed the assertion, which counts once; or why it is refused. */
async function verifySigner(
  ctx: OpenContext,
  assertion: string,
  audience: string,
): Promise<Client | { problem: string }> {
  const issuer = claimedIssuer(assertion)
  const client = isUuid(issuer) ? await activeClient(ctx.db, issuer) : undefined
  const result = client ? await verified(assertion, client, audience) : NOT_SIGNED
  // a right signature waits for nobody's wrong ones, which anyone can send in the program's name
  if (!('problem' in result) && (await isFirstUse(ctx.db, client!.id, result))) return client!
  await guessed(
    ctx,
    {
      what: 'assertion',
      of: client?.id ?? 'unknown client',
      guess: assertion,
      ...(client && { userId: client.user_id }),
      // not from everywhere: strangers would slow down a program whose id they know, and signatures cannot be guessed
      source: { place: networkAddress(ctx.request.address), limits: ['subjectHere', 'address'] },
    },
    () => Promise.resolve(false),
  )
  return { problem: 'problem' in result ? result.problem : 'The assertion was used before (jti).' }
}

const isUuid = (text: string | null): text is string =>
  text !== null && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text)

/** For share: it cannot be revoked between this check and the commit of its session. */
const activeClient = (db: Kysely<DB>, id: string) =>
  db
    .selectFrom('api_clients')
    .innerJoin('users', 'users.id', 'api_clients.user_id')
    .select(['api_clients.id', 'api_clients.user_id', 'api_clients.scopes', 'api_clients.jwks'])
    .where('api_clients.id', '=', id)
    .where('api_clients.is_active', '=', true)
    .where('api_clients.is_deleted', '=', false)
    .where('users.is_deleted', '=', false)
    .forShare('api_clients')
    .executeTakeFirst()

async function isFirstUse(
  db: Kysely<DB>,
  clientId: string,
  { jti, expiresAt }: { jti: string; expiresAt: Date },
): Promise<boolean> {
  await db
    .deleteFrom('api_client_assertions')
    .where('expires_at', '<', sql<Date>`clock_timestamp()`)
    .execute()
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('api_client_assertions')
    .values({ client_id: clientId, jti, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** A program takes a token every five minutes: the audit trail records it once a day. */
async function auditDaily(ctx: OpenContext, { id, user_id }: Client) {
  const entry = await ctx.db
    .selectFrom('audit_log')
    .select('id')
    .where('table_name', '=', 'api_clients')
    .where('record_id', '=', id)
    .where('action', '=', 'fhir.token')
    .where('at', '>', sql<Date>`clock_timestamp() - interval '1 day'`)
    .where(sql<boolean>`has_happened(at)`)
    .limit(1)
    .executeTakeFirst()
  if (!entry)
    await audit(ctx, {
      action: 'fhir.token',
      table: 'api_clients',
      recordId: id,
      userId: user_id,
    })
}
