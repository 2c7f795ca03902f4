import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { connect } from '~/db/connect'
import {
  type Algorithm,
  assertionOf,
  jwksOf,
  type Key,
  newKey,
  seconds,
  tokenForm,
} from '../api-clients'
import { makeFactories } from '../factories'
import { givePassword, PASSWORD } from '../sessions'
import { databaseUrl, settingsForUsed, test } from './sanad'

/** SMART Backend Services over HTTP, by a program that shares no code with the server. */
test(
  'a program signs in with its own key, and every wrong assertion is refused',
  { timeout: 300_000 },
  async ({ start, temporaryDirectory }) => {
    const dataDir = temporaryDirectory()
    const origin = await start(await settingsForUsed(dataDir)).ready
    const db = connect(databaseUrl(dataDir))
    const make = makeFactories(db)
    const clinic = await make.clinic()
    const patient = await make.patient({ primary_clinic_id: clinic.id })
    const problem = await make.problem({ patient_id: patient.id, recorded_clinic_id: clinic.id })
    const admin = await make.user({ role: 'super_admin' })
    await givePassword(db, admin)
    const signedIn = await fetch(`${origin}/api/auth/sign-in`, {
      method: 'POST',
      body: JSON.stringify({ email: admin.email, password: PASSWORD }),
      headers: { 'content-type': 'application/json' },
    })
    const { token: adminToken } = (await signedIn.json()) as { token: string }
    const call = async (operation: string, input: object) => {
      const answer = await fetch(`${origin}/api/trpc/${operation}`, {
        method: 'POST',
        body: JSON.stringify(input),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${adminToken}` },
      })
      expect([operation, answer.status]).toEqual([operation, 200])
    }
    /** A program with a user of its own, as an administrator adds it. */
    const program = async (scopes: string, ...keys: Key[]) => {
      const user = await make.user({ role: 'provider' })
      const id = randomUUID()
      const jwks = jwksOf(...keys)
      await call('apiClients.save', {
        id,
        name: `Program ${id}`,
        user_id: user.id,
        scopes,
        jwks,
        is_active: true,
      })
      return { id, user, keys }
    }

    // what the server says of itself
    const found = await fetch(`${origin}/api/fhir/.well-known/smart-configuration`)
    expect(found.status).toBe(200)
    expect(found.headers.get('content-type')).toBe('application/json')
    const smart = (await found.json()) as { token_endpoint: string }
    expect(smart).toMatchObject({
      token_endpoint: `${origin}/api/auth/token`,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
      capabilities: expect.arrayContaining(['client-confidential-asymmetric']),
    })
    const atRoot = await fetch(`${origin}/.well-known/smart-configuration`)
    expect(await atRoot.json()).toEqual(smart)
    const metadata = await fetch(`${origin}/api/fhir/metadata`)
    expect(await metadata.json()).toMatchObject({
      rest: [
        {
          security: {
            service: [{ coding: [{ code: 'SMART-on-FHIR' }] }],
            extension: [{ extension: [{ url: 'token', valueUri: smart.token_endpoint }] }],
          },
        },
      ],
    })

    const aud = smart.token_endpoint
    type Answer = { status: number; body: Record<string, string>; retryAfter: string | null }
    const post = async (form: URLSearchParams | string, type?: string): Promise<Answer> => {
      const headers: HeadersInit = type === undefined ? {} : { 'content-type': type }
      const answer = await fetch(aud, { method: 'POST', body: form, headers })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      return {
        status: answer.status,
        body: (await answer.json()) as Record<string, string>,
        retryAfter: answer.headers.get('retry-after'),
      }
    }
    const read = async (token: string, path: string) => {
      const answer = await fetch(`${origin}/api/fhir/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return answer.status
    }

    // both algorithms, and a second key beside the first one
    const [rsa, ec] = [newKey('RS384'), newKey('ES384')]
    const good = await program('system/Patient.rs system/Condition.rs', rsa, ec)
    await make.permission(good.user, clinic.id, ['can_view_history'])
    const asked = 'system/Patient.rs system/Observation.rs patient/*.rs'
    for (const [alg, key] of [
      ['RS384', rsa],
      ['ES384', ec],
    ] as const) {
      const { status, body } = await post(
        tokenForm(assertionOf({ clientId: good.id, aud, key, alg }), asked),
      )
      expect([status, body]).toEqual([
        200,
        {
          access_token: expect.stringMatching(/^[\w-]{43}$/),
          token_type: 'bearer',
          expires_in: 300,
          scope: 'system/Patient.rs',
        },
      ])
      const token = body['access_token']!
      expect(await read(token, `Patient/${patient.id}`)).toBe(200)
      // registered, and not asked for
      expect(await read(token, `Condition/${problem.id}`)).toBe(403)
      // not registered
      expect(await read(token, 'Observation')).toBe(403)
      // FHIR, and nothing else
      const headers = { authorization: `Bearer ${token}` }
      for (const path of [
        `/api/trpc/patients.get?input=${encodeURIComponent(JSON.stringify({ id: patient.id }))}`,
        '/api/trpc/users.current',
        '/api/patients/export',
        '/api/v2/sync?last_pulled_at=0',
      ])
        expect([path, (await fetch(origin + path, { headers })).ok]).toEqual([path, false])
      const valid = await fetch(`${origin}/api/auth/is-valid-token`, { method: 'POST', headers })
      expect(await valid.json()).toEqual({ isValid: false })
    }

    // an assertion counts once, also if it is sent twice at the same time
    const once = tokenForm(assertionOf({ clientId: good.id, aud, key: ec, alg: 'ES384' }), asked)
    const both = await Promise.all([post(once), post(once)])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
    expect(both.find(({ status }) => status === 401)!.body).toEqual({
      error: 'invalid_client',
      error_description: 'The assertion was used before (jti).',
    })

    // each wrong assertion is of a program of its own, so that no refusal comes from too many of them
    const stranger = newKey('ES384')
    type Wrong = { alg?: Algorithm; key?: Key; header?: object; claims?: object; aud?: string }
    const NOT_SIGNED = 'The assertion is not signed by a known client.'
    const wrong: Record<string, [Wrong, string]> = {
      'signed with HS256': [{ alg: 'HS256' }, NOT_SIGNED],
      'not signed': [{ alg: 'none' }, NOT_SIGNED],
      'signed with RS256': [{ alg: 'RS256', key: rsa }, NOT_SIGNED],
      'signed by another key': [{ key: { ...stranger, kid: ec.kid } }, NOT_SIGNED],
      'with an unknown kid': [{ header: { kid: 'another' } }, NOT_SIGNED],
      'without a kid': [{ header: { kid: undefined } }, NOT_SIGNED],
      'with keys at an address': [
        { header: { jku: 'https://lab.example/jwks.json' } },
        'Keys are registered, and not read from an address (jku).',
      ],
      'to another server': [{ aud: 'https://other.example/token' }, `aud must be ${aud}.`],
      'to the address of FHIR': [{ aud: `${origin}/api/fhir` }, `aud must be ${aud}.`],
      expired: [{ claims: { exp: seconds(-60) } }, 'The assertion has expired (exp).'],
      'for six minutes': [
        { claims: { exp: seconds(360) } },
        'exp must be at most five minutes from now.',
      ],
      'without exp': [{ claims: { exp: undefined } }, 'The assertion must have exp.'],
      'not yet valid': [
        { claims: { nbf: seconds(120) } },
        'The assertion has a claim that is not valid (nbf).',
      ],
      'without jti': [
        { claims: { jti: undefined } },
        'The assertion must have a jti of 1 to 255 characters of ASCII.',
      ],
      'for another sub': [
        { claims: { sub: good.id } },
        'iss and sub must be the id of the client.',
      ],
      'by no client': [{ claims: { iss: randomUUID() } }, NOT_SIGNED],
      'by a name that is no id': [{ claims: { iss: "'; drop table api_clients; --" } }, NOT_SIGNED],
    }
    for (const [what, [{ alg = 'ES384', key = ec, ...more }, description]] of Object.entries(
      wrong,
    )) {
      const { id } = await program('system/*.rs', rsa, ec)
      const assertion = assertionOf({ clientId: id, aud, key, alg, ...more })
      const { status, body } = await post(tokenForm(assertion, 'system/*.rs'))
      expect([what, status, body]).toEqual([
        what,
        401,
        { error: 'invalid_client', error_description: description },
      ])
      // a refused assertion spoils nothing
      const right = assertionOf({ clientId: id, aud, key: ec, alg: 'ES384' })
      expect((await post(tokenForm(right, 'system/*.rs'))).status).toBe(200)
    }

    // the errors of RFC 6749
    const { id } = await program('system/Patient.rs', ec)
    const form = (change: (form: URLSearchParams) => void, scope = 'system/Patient.rs') => {
      const sent = tokenForm(assertionOf({ clientId: id, aud, key: ec, alg: 'ES384' }), scope)
      change(sent)
      return sent
    }
    const same = () => undefined
    for (const [sent, status, error] of [
      [form((each) => each.delete('grant_type')), 400, 'invalid_request'],
      [form((each) => each.set('grant_type', 'password')), 400, 'unsupported_grant_type'],
      [form((each) => each.delete('client_assertion_type')), 401, 'invalid_client'],
      [form((each) => each.delete('client_assertion')), 401, 'invalid_client'],
      [form((each) => each.append('scope', 'system/*.rs')), 400, 'invalid_request'],
      [form(same, ''), 400, 'invalid_scope'],
      [form(same, 'system/Observation.rs'), 400, 'invalid_scope'],
      [form(same, 'patient/Patient.rs openid'), 400, 'invalid_scope'],
      [form(same, 'system/Patient.\0'), 400, 'invalid_request'],
      [form(same, 'x'.repeat(5000)), 400, 'invalid_request'],
    ] as const) {
      const answer = await post(sent)
      expect([String(sent).slice(0, 60), answer.status, answer.body['error']]).toEqual([
        String(sent).slice(0, 60),
        status,
        error,
      ])
    }
    expect(await post('{}', 'application/json')).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
    expect((await fetch(aud)).status).toBe(405)
    // the part of a scope that is registered
    const narrowed = await post(form(same, 'system/*.cruds'))
    expect(narrowed.body['scope']).toBe('system/Patient.rs')

    // a user without rights: a token, and nothing to see with it
    const powerless = await program('system/*.cruds', ec)
    const tokenOf = async (of: { id: string }, scope = 'system/*.cruds') => {
      const assertion = assertionOf({ clientId: of.id, aud, key: ec, alg: 'ES384' })
      const { status, body } = await post(tokenForm(assertion, scope))
      return { status, token: body['access_token'] ?? '' }
    }
    const { token: empty } = await tokenOf(powerless)
    for (const path of [`Patient/${patient.id}`, 'Patient', 'Condition', 'AuditEvent', '$export'])
      expect([path, await read(empty, path)]).toEqual([path, 403])

    // what ends a token at once: revoking the program, any change of it, and the end of its user
    const ending = await program('system/*.rs', ec)
    await make.permission(ending.user, clinic.id, ['can_view_history'])
    const { token: first } = await tokenOf(ending, 'system/*.rs')
    expect(await read(first, `Patient/${patient.id}`)).toBe(200)
    await call('apiClients.revoke', { id: ending.id })
    expect(await read(first, `Patient/${patient.id}`)).toBe(401)
    expect((await tokenOf(ending)).status).toBe(401)
    const stored = await db
      .selectFrom('api_clients')
      .selectAll()
      .where('id', '=', ending.id)
      .executeTakeFirstOrThrow()
    const save = (is_active: boolean, last_modified: Date) =>
      call('apiClients.save', { ...stored, is_active, last_modified })
    await save(true, stored.last_modified)
    // the old token stays dead
    expect(await read(first, `Patient/${patient.id}`)).toBe(401)
    const { token: second } = await tokenOf(ending, 'system/*.rs')
    expect(await read(second, `Patient/${patient.id}`)).toBe(200)
    await db
      .updateTable('users')
      .set({ role: 'registrar' })
      .where('id', '=', ending.user.id)
      .execute()
    expect(await read(second, `Patient/${patient.id}`)).toBe(401)
    const { token: third } = await tokenOf(ending, 'system/*.rs')
    await call('users.delete', { id: ending.user.id })
    expect(await read(third, `Patient/${patient.id}`)).toBe(401)
    expect((await tokenOf(ending)).status).toBe(401)

    // the audit trail has the sign-ins, the access log the patients that the program read
    const signIns = await db
      .selectFrom('audit_log')
      .select(['user_id', 'via'])
      .where('record_id', '=', good.id)
      .where('action', '=', 'fhir.token')
      .execute()
    expect(signIns).toEqual([{ user_id: good.user.id, via: 'fhir' }])
    await expect
      .poll(() =>
        db
          .selectFrom('access_log')
          .select(['operation', 'outcome', 'patient_ids'])
          .where('user_id', '=', good.user.id)
          .where('via', '=', 'fhir')
          .where('outcome', '=', 'shown')
          .execute(),
      )
      .toEqual([{ operation: 'fhir.read', outcome: 'shown', patient_ids: [patient.id] }])
    const refusals = await db
      .selectFrom('access_log')
      .select(['operation', 'patient_ids'])
      .where('user_id', '=', good.user.id)
      .where('via', '=', 'fhir')
      .where('outcome', '=', 'refused')
      .orderBy('id')
      .execute()
    expect(refusals).toEqual([
      { operation: 'fhir.read', patient_ids: [patient.id] },
      { operation: 'fhir.search', patient_ids: [] },
    ])

    // guesses wait, as at the sign-in; last, because the address has to wait with them
    const guessing = await program('system/*.rs', ec)
    const guesses: Answer[] = []
    for (let at = 0; at < 6; at += 1)
      guesses.push(
        await post(
          tokenForm(
            assertionOf({
              clientId: guessing.id,
              aud,
              key: { ...stranger, kid: ec.kid },
              alg: 'ES384',
            }),
            'system/*.rs',
          ),
        ),
      )
    expect(guesses.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429])
    expect(guesses.at(-1)).toMatchObject({
      body: { error: 'temporarily_unavailable' },
      retryAfter: expect.stringMatching(/^\d+$/),
    })
    // neither the program itself nor others at the same address wait
    expect((await tokenOf(guessing, 'system/Patient.rs')).status).toBe(200)
    expect((await tokenOf(good, 'system/Patient.rs')).status).toBe(200)
    await db.destroy()
  },
)
