import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recursions, spreadCalls } from './calls'

/** What the sources must not contain, as far as a search can tell. `docs/security/asvs.md` names these tests. */
const sources = globSync('src/**/*.{ts,tsx}')
  .filter((file) => !/\.test\.tsx?$|\.gen\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))

/** `file: match` for each match. */
const found = (pattern: RegExp, isSearched = (_file: string) => true) =>
  sources
    .filter(({ file }) => isSearched(file))
    .flatMap(({ file, text }) =>
      Array.from(text.matchAll(pattern), ([match]) => `${file.slice(4)}: ${match}`),
    )
    .toSorted()

test('no text becomes markup or code, except one constant script', () => {
  const ways = /\beval\(|innerHTML|outerHTML|document\.write|insertAdjacentHTML|srcdoc|javascript:/g
  expect(found(ways)).toEqual([])
  expect(found(/__html: *[^ }]+/g)).toEqual([
    'features/office/sessions/SignInFrame.tsx: __html: showBelowPath',
    'features/office/sessions/sign-in/SignInPage.tsx: __html: signInScript(assets)',
    'features/office/sessions/sign-in/SignInPage.tsx: __html: signInStyle',
    'routes/__root.tsx: __html: rememberEarly',
  ])
  expect(found(/^(?! *(\/\/|\*)).*\b(new Function\(|postMessage)/gm)).toEqual([])
})

/**
 * Where clinical rows are ordered, filtered or compared by when they were typed, with the reason. Everything else takes
 * the day of the event: forms are typed from paper days later.
 */
const BY_TYPING: Record<string, readonly string[]> = {
  'the day of its visit comes before it: a row without a visit has no other day': [
    'db/schema/timeline.sql: coalesce(p.onset_date, v.check_in_timestamp, p.created_at)',
    'db/schema/immunizations.sql: coalesce(v.check_in_timestamp, n.created_at)',
    'features/care/problem-codes/another-problem.server.ts: ' +
      "coalesce(${visited(sql.ref('patient_problems.visit_id'))}, patient_problems.created_at)",
    'features/care/programs/enrolment-rows.server.ts: ' +
      "coalesce(${day('v.check_in_timestamp')}, ${day('p.created_at')})",
    'features/care/programs/item-rows.server.ts: ' +
      "coalesce(${day('v.check_in_timestamp')}, ${day('e.created_at')})",
    'features/care/programs/item-rows.server.ts: ' +
      "coalesce(${day('v.check_in_timestamp')}, ${day('e.created_at')})",
    'features/care/problems/problems.server.ts: ' +
      'coalesce(onset_date, ${visitedAt}, patient_problems.created_at)',
    'features/forms/events/happened.server.ts: coalesce(visits.check_in_timestamp, events.created_at)',
    'features/record/registers/registers.server.ts: ' +
      'coalesce(clinic_day(v.check_in_timestamp), clinic_day(ev.created_at)',
    'features/medicines/prescriptions/check/form-medicines.server.ts: coalesce(v.check_in_timestamp, e.created_at)',
  ],
  'of one day or one visit, the order in which they were typed': [
    "features/care/pregnancies/pregnancies.server.ts: orderBy('created_at'",
    'features/care/programs/enrolment-rows.server.ts: order by asked_on desc, created_at',
    "features/care/pregnancies/pregnancies.server.ts: orderBy('answer.created_at'",
    "features/care/problems/problems.server.ts: orderBy('patient_problems.created_at'",
    "features/forms/events/events.server.ts: orderBy('events.created_at'",
    "features/forms/events/events.server.ts: orderBy('events.created_at'",
    "features/forms/events/events.server.ts: orderBy('events.created_at'",
    "features/forms/events/events.server.ts: orderBy('events.created_at'",
    "features/forms/events/explore/explore.server.ts: orderBy('events.created_at'",
    'features/medicines/prescriptions/check/form-medicines.server.ts: order by at desc, e.created_at',
    "features/medicines/prescriptions/items.server.ts: orderBy('i.created_at'",
    'features/medicines/prescriptions/listing.server.ts: order by i.position, i.created_at',
  ],
  'whether an appointment was already booked at the time of a call or a report': [
    'features/care/programs/item-rows.server.ts: order by created_at',
    'features/reports/cells/sources/states.server.ts: a.created_at <',
  ],
  'an opening, an emergency, a taken document or a message is made when it is typed': [
    "features/exchange/documents/taken-documents.server.ts: orderBy('d.created_at'",
    "features/record/sharing/emergencies.server.ts: orderBy('e.created_at'",
    "features/record/sharing/openings.server.ts: orderBy('o.created_at'",
    'features/day/followups/followups.server.ts: order by m.created_at',
    'features/day/followups/messages/messages.server.ts: order by created_at',
    "features/day/followups/messages/messages.server.ts: orderBy('m.created_at'",
    'features/reports/dashboard/administration.server.ts: e.created_at >',
    'features/reports/dashboard/administration.server.ts: max(created_at',
  ],
  'a patient is registered when the record is typed': [
    'features/reports/dashboard/administration.server.ts: created_at >=',
    'features/reports/dashboard/summary.server.ts: patients.created_at <',
    'features/reports/dashboard/summary.server.ts: patients.created_at >=',
    'features/people/patients/duplicates/merge.server.ts: winner.created_at <=',
    'features/people/patients/search/search.server.ts: patients.created_at <',
    'features/people/patients/search/search.server.ts: patients.created_at >=',
  ],
  'a file that no form took is removed some days after it arrived': [
    "features/forms/events/event-files.server.ts: where('created_at'",
  ],
}

test('clinical rows are ordered, filtered and counted by the day of the event', () => {
  const schema = globSync('src/db/schema/*.sql').map((file) => ({
    file,
    text: readFileSync(file, 'utf8'),
  }))
  const uses = [
    /\b(orderBy|where)\(\s*'([a-z_]+\.)?created_at'/g,
    /\border by [a-z_., ]*\bcreated_at\b/g,
    /\b([a-z_]+\.)?created_at\b\s*(<|>)=?|\b(min|max)\(([a-z_]+\.)?created_at/g,
    /coalesce\([^;\n]*\bcreated_at(\)|'\)\}\))/g,
  ]
  const isClinical = ({ file }: { file: string }) =>
    /^src\/features\/(care|forms|medicines|day|record|rules|reports|exchange\/documents|people\/patients)/.test(
      file,
    ) || /^src\/db\/schema\/(timeline|immunizations|programs)/.test(file)
  const found = [...sources, ...schema]
    .filter(isClinical)
    .flatMap(({ file, text }) =>
      uses.flatMap((use) =>
        Array.from(text.matchAll(use), ([match]) => `${file.slice(4)}: ${match}`),
      ),
    )
  expect(found.toSorted()).toEqual(Object.values(BY_TYPING).flat().toSorted())
})

test('programs are started with a list of arguments, never through a shell', () => {
  const imports = found(/import \{[^}]*\} from 'node:child_process'/g)
  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((line) => /\b(exec|execSync|fork)\b/.test(line))).toEqual([])
  expect(found(/\bshell: ?true|(?<!\.)\bexec(Sync)?\(['"`]/g)).toEqual([])
})

test('the server opens connections to its database, to SENTRY_DSN and to configured servers only', () => {
  // what a browser runs
  const isServer = (file: string) =>
    !/\.tsx$|\/sign-in-script\.ts$|^src\/(ui|client|routes\/demo|start\.ts)/.test(file)
  const clients = /(?<!\.)\bfetch\([\w'"`]+|new WebSocket|\b(createConnection|connectTls)\(/g
  expect(found(clients, isServer)).toEqual(['server/error-report.ts: fetch(endpoint'])
  // `mayConnect` checks the addresses of the server for reports and of the gateway
  const requests =
    /import \{[^}]*\b(request|get|connect)\b[^}]*\} from 'node:(https?|http2|net|tls)'/g
  const files = found(requests, isServer).map((match) => match.split(':')[0])
  expect([...new Set(files)]).toEqual(['server/outgoing.server.ts'])
  expect(found(/from '(undici|axios|ws|got|node-fetch|node:dgram)'/g)).toEqual([])
})

test('text is sorted by a named language, the same on the server and in each browser', () => {
  expect(found(/\.localeCompare\([^(),]+(\([^()]*\))?\)|new Intl\.Collator\(\)/g)).toEqual([])
})

test('a list of options to choose from is a PickList, which loses no text that was typed', () => {
  const ofMantine = /import \{[^}]*\b(?:Select|MultiSelect)\b[^}]*\} from '@mantine\/core'/g
  const without = (file: string) => file !== 'src/fields/PickList.tsx'
  expect(found(ofMantine, without)).toEqual([])
})

/** `section.name` -> text. */
const textsOf = (language: string) =>
  new Map(
    Object.entries(
      JSON.parse(readFileSync(`messages/${language}.json`, 'utf8')) as Record<string, object>,
    ).flatMap(([section, messages]) =>
      Object.entries(messages).flatMap(([name, text]): [string, string][] =>
        typeof text === 'string' ? [[`${section}.${name}`, text]] : [],
      ),
    ),
  )

test('the name of a button for screen readers has the words that are seen on it', () => {
  const buttons = sources.flatMap(({ text }) => [
    ...text.matchAll(
      /<(Button|LinkButton|Anchor)\b(.{0,900}?)>\s*\{say\('([\w.]+)'\)\}\s*<\/\1>/gs,
    ),
  ])
  const named = buttons.flatMap(([, , attributes, seen]) => {
    const [, name] =
      /aria-label=\{\s*say\(\s*(?:\{\s*key: )?'([\w.]+)'/.exec(attributes ?? '') ?? []
    return name && seen ? [{ name, seen }] : []
  })
  expect(named.length).toBeGreaterThan(10)
  for (const language of ['en', 'ar', 'es']) {
    const texts = textsOf(language)
    const unlike = named.filter(({ name, seen }) => {
      const [whole, part] = [texts.get(name), texts.get(seen)]
      return whole && part && !whole.toLowerCase().includes(part.toLowerCase())
    })
    expect({ language, unlike }).toEqual({ language, unlike: [] })
  }
})

/** An example of what is typed, a warning about a sign, and a button of Windows. */
const LATIN_UNITS = new Set([
  'drugs.ingredientStrengthsHint',
  'drugs.ingredientStrengthsWrong',
  'dose.unsafe_micro',
])

test('Arabic texts write units in Arabic', () => {
  const unit = /(?<![A-Za-z])(mg|kg|cm|mm|ml|mL|mmHg|mg\/dL|µmol\/L|lb|kPa)(?![A-Za-z])|°C/
  const latin = [...textsOf('ar')].filter(
    ([key, text]) => !LATIN_UNITS.has(key) && unit.test(text.replaceAll(/\{[^{}]*\}/g, '')),
  )
  expect(latin).toEqual([])
})

test('regular expressions are built from constants only', () => {
  expect(found(/new RegExp\(/g).map((match) => match.split(':')[0])).toEqual([
    'features/medicines/drugs/written-medicine.server.ts',
    'features/medicines/prescriptions/writing/unsafe-notations.ts',
    'features/medicines/safety/rules/ingredients.ts',
    'features/medicines/safety/rules/ingredients.ts',
    'features/medicines/safety/rules/problem-codes.ts',
    'server/http-static.server.ts',
  ])
})

test('cryptography is that of the platform, with approved algorithms', () => {
  const named =
    /\b(createHash|createHmac|createCipheriv|createDecipheriv|hkdfSync|generateKeyPairSync)\('[\w-]+'/g
  const uses = found(named)
  // RFC 6238 for authenticator apps, and the id of a key (RFC 5280, section 4.2.1.2), which protects nothing
  const sha1 = uses.filter((use) => use.includes('sha1'))
  expect(sha1.map((use) => use.split(':')[0])).toEqual([
    'features/office/sessions/two-factor/totp.server.ts',
    'server/certificate/issue.ts',
  ])
  const others = uses.filter((use) => !sha1.includes(use)).map((use) => use.split("'")[1]!)
  const approved = ['aes-256-gcm', 'ec', 'ed25519', 'sha256', 'sha384', 'sha512', 'x25519']
  expect(others.filter((algorithm) => !approved.includes(algorithm))).toEqual([])
  expect(found(/Math\.random/g)).toEqual([])
  const packages =
    /(from |import\()'(crypto-js|bcrypt\w*|argon2|@noble\/\w+|tweetnacl|jsonwebtoken|jose|node-forge)'/g
  expect(found(packages)).toEqual([
    // passwords of a former server, until their first use
    "features/office/sessions/passwords/bcrypt.server.ts: import('bcryptjs'",
    // signed tokens of programs (RFC 7523), by the cryptography of the platform
    "fhir/assertion.server.ts: from 'jose'",
  ])
})

/** Lists that calls take apart into their arguments, and why each is short. */
const SHORT: Record<string, string[]> = {
  'one for each column of a table': [
    'sync/push/rights.server.ts: collectIds(...authorColumns(table))',
    'sync/push/write.server.ts: list(...parsed)',
    'sync/push/write.server.ts: list(...present)',
    'sync/push/write.server.ts: list(...Object.keys(known))',
    'sync/push/write.server.ts: list(...written)',
    'sync/push/write.server.ts: list(...Object.values(known))',
    'sync/push/write.server.ts: list(...compared)',
    'features/exchange/imports/patients-file/patients-file.ts: stableId(...cells)',
  ],
  'written in the code': [
    'features/record/timeline/PatientRecord.tsx: useLive(...Object.values(PARTS))',
    'ui/toast.ts: now[kind](...said)',
    'server/backup-contents.ts: pipeline(...stages)',
    'server/backup-contents.ts: pipeline(...stages)',
    'server/certificate/der.ts: value(...parts)',
    'server/certificate/der.ts: value(...parts)',
    'server/certificate/der.ts: value(...parts)',
    'server/certificate/issue.ts: tagged(...permitted)',
    'server/certificate/issue.ts: sequence(...alternatives)',
    'server/certificate/issue.ts: sequence(...extensions)',
    'server/certificate/issue.ts: sequence(...(isCritical ? [truth] : []))',
    'features/exchange/imports/synthea/observations.server.ts: stableId(...(ordinal ? [String(ordinal)] : []))',
    'features/exchange/imports/synthea/synthea-medicines.ts: stableId(...words)',
    'features/exchange/imports/synthea/synthea-medicines.ts: stableId(...words)',
    'features/medicines/prescriptions/writing/PrescriptionForm.tsx: form.refuse(...summarizeErrors(found, say))',
    'db/kept.ts: query(...args)',
  ],
  'the codes of one row: one of each system': [
    'fhir/resources/allergy-intolerance.ts: concept(...substanceCoding(row))',
    'fhir/resources/condition.ts: concept(...problemCoding(row))',
    'fhir/resources/immunization.ts: concept(...vaccineCodings(vaccine))',
    'fhir/resources/medication-request.ts: presentValues(...(note(row.item_notes) ?? []))',
    'fhir/resources/medication-request.ts: presentValues(...(note(row.notes) ?? []))',
  ],
  '8,192 bytes at a time': [
    'features/exchange/imports/upload.ts: String.fromCharCode(...bytes.subarray(at, at + 8_192))',
  ],
}

/** They take permissions, of which the code has a few. */
const ofPermissions =
  /: (mayAnywhere|clinicsWhere|inPermittedClinics|somewhere|selectMatchingEvents)\(/

test('no call takes a list of any length apart into its arguments', () => {
  const spread = spreadCalls().filter((call) => !ofPermissions.test(call))
  expect(spread.toSorted()).toEqual(Object.values(SHORT).flat().toSorted())
})

/** Functions that call themselves, and what ends them before the stack does. */
const SHALLOW: Record<string, string[]> = {
  'input has at most 64 levels (findInputFlaw), stored JSON and bodies of FHIR at most 512 (DEEPEST_STORED)':
    [
      'server/found.ts: isAnythingIn',
      'forms/answers.ts: same',
      'forms/definition-rules.ts: conditionAt',
      'forms/definition-rules.ts: listConditionTests',
      'forms/definition-rules.ts: withIds',
      'forms/rules.ts: holdsFor',
      'forms/rules.ts: isSame',
      'fhir/resource.ts: compact',
      'fhir/resources/questionnaire-response.ts: itemIn',
      'features/exchange/imports/hikma/digest.ts: sorted',
      'features/exchange/imports/hikma/forms.ts: encoded',
      'features/exchange/imports/hikma/reading.ts: storable',
    ],
  'a definition of a report is checked for its depth and size first (MOST_DEPTH, MOST_NODES)': [
    'features/reports/runs/drill.server.ts: loadPeople',
    'features/reports/runs/measure-kind.ts: opensPeople',
    'features/reports/runs/measure-kind.ts: cellMaskingKind',
    'features/reports/definitions/editor/definition-draft.ts: measureSource',
    'features/reports/definitions/editor/definition-draft.ts: walk',
    'features/reports/cells/definition.ts: closest',
    'features/reports/cells/definition.ts: nestingSize',
    'features/reports/cells/definition.ts: this.test',
    'features/reports/cells/definition.ts: this.sourcesOf',
    'features/reports/cells/definition.ts: this.asksClinics',
    'features/reports/cells/definition.ts: visit',
    'features/reports/cells/formula.ts: buildFormula',
    'features/reports/cells/formula.ts: named',
    'features/reports/cells/scan.server.ts: atoms',
    'features/reports/cells/stock-days.server.ts: fieldsIn',
    'features/reports/cells/stock-days.server.ts: holds',
    'features/reports/cells/terms.server.ts: fieldsIn',
    'features/reports/cells/terms.server.ts: conceptsIn',
    'features/reports/cells/terms.server.ts: testedConcepts',
    'features/reports/cells/terms.server.ts: sqlType',
    'features/reports/cells/terms.server.ts: comparisonSql',
    'features/reports/cells/terms.server.ts: allSql',
    'features/reports/cells/terms.server.ts: testSql',
    'features/reports/cells/terms.server.ts: each',
    'features/reports/cells/terms.server.ts: nthSql',
    'features/reports/cells/terms.server.ts: testedGroupNames',
  ],
  'the parser of formulas counts its levels (DEEPEST), and a formula has 200 characters': [
    'forms/formula.ts: sum',
    'forms/formula.ts: product',
    'forms/formula.ts: single',
    'forms/formula.ts: evaluateFormula',
  ],
  'one step: chains, `_has` and bundles in bundles are refused': [
    'fhir/respond.server.ts: answer',
    'fhir/respond.server.ts: batch',
    'fhir/search.ts: parameterCondition',
    'fhir/search.ts: chainCondition',
    'fhir/search.ts: hasCondition',
  ],
  '`findInputFlaw` refuses an input of more than 64 levels before it, and a screen sends what it drew':
    ['shared/typed-text.ts: withCleanTexts', 'shared/typed-text.ts: losesCharacters'],
  'half of the list each time': ['server/bisect.ts: bisect'],
  'over what the code or the product brings: rules, messages, tables, starter forms, parts of a medicine':
    [
      'ui/messages.ts: merged',
      'policy/facts.ts: permitsSomewhere',
      'forms/starter-read.ts: parseCondition',
      'forms/starter-read.ts: parts',
      'fhir/parameters.ts: render',
      'fhir/summary.server.ts: alone',
      'records/strength.ts: amountText',
      'features/medicines/safety/rules/ingredients.ts: parseIngredients',
      'features/medicines/safety/rules/ingredients.ts: ingredientsIn',
    ],
  'later, by a timer, an event or another turn: the stack is empty again': [
    'ui/action.ts: run',
    'ui/live.ts: connectAgain',
    'ui/live.ts: followWhileVisible',
    'server/live.server.ts: listenAgain',
    'server/live.server.ts: listen',
    'db/embedded.server.ts: start',
    'db/embedded.server.ts: onEnd',
  ],
  'one folder further up each time': ['db/embedded-user.server.ts: isClosedTo'],
}

test('a box that scrolls takes the focus, so that the keyboard scrolls it', () => {
  const boxes = found(
    /<(?:ScrollArea(?:\.Autosize)?|Table\.ScrollContainer)\b(?!(?:=>|[^>])*?tabIndex)[^\n]*/g,
  )
  expect(boxes).toEqual([])
})

test('no function follows input on the stack without a limit', () => {
  expect(recursions().toSorted()).toEqual(Object.values(SHALLOW).flat().toSorted())
})

test('every package of the lock file has a hash and comes from the registry', () => {
  type Package = { version?: string; resolved?: string; integrity?: string }
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Package>
  }
  const strays = Object.entries(packages).filter(
    ([path, { version, resolved = 'https://registry.npmjs.org/', integrity }]) =>
      path !== '' &&
      !(
        version &&
        integrity?.startsWith('sha512-') &&
        resolved.startsWith('https://registry.npmjs.org/')
      ),
  )
  expect(strays).toEqual([])
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  const versions = Object.values({ ...dependencies, ...devDependencies })
  expect(versions.filter((version) => !/^[\^~]?\d|^npm:/.test(version))).toEqual([])
})
