import { LIVE } from '~/features/reports/runs/runs'
import { STARTER_REPORTS } from '~/features/reports/starter/starter-reports'
import { newId } from '~/shared/id'
import { benchName, benchPhoneNumber } from './day'
import type { Benchmark } from './timing'
import { connectToDataDir } from './database'
import type { Workbench } from './workbench'

/** Both who sees everybody and who sees one clinic: what each may see is part of every question. */
const asEach = (
  name: string,
  run: (who: Workbench['admin'], bench: Workbench, i: number) => Promise<unknown>,
  call?: Benchmark['call'],
): Benchmark[] => [
  { name, run: (bench, i) => run(bench.admin, bench, i), ...(call && { call }) },
  { name: `${name}, one clinic`, run: (bench, i) => run(bench.provider, bench, i) },
]

type Answer = 'some' | 'none' | 'any'

const found = (
  name: string,
  searchQuery: (bench: Workbench, i: number) => string,
  expected: Answer = 'any',
) =>
  asEach(
    `search: ${name}`,
    async (who, bench, i) => {
      const query = searchQuery(bench, i)
      const { patients } = await who.call<{ patients: unknown[] }>('patients.search', {
        searchQuery: query,
      })
      // a user of one clinic may rightly find no patient
      const isRight =
        expected === 'any' ||
        who === bench.provider ||
        patients.length > 0 === (expected === 'some')
      if (!isRight) throw new Error(`A search for "${query}" found ${patients.length}`)
    },
    (bench, i) => ['patients.search', { searchQuery: searchQuery(bench, i) }],
  )

const inArabic = ({ patientAt }: Workbench, i: number) => {
  const names = [...Array(50).keys()]
    .map(patientAt)
    .map(({ given_name, surname }) => `${given_name} ${surname}`)
  const arabic = names.filter((name) => /[\u0600-\u06ff]/.test(name))
  return arabic[i % arabic.length] ?? 'محمد'
}

const inTurn =
  (...words: string[]) =>
  (_bench: Workbench, i: number) =>
    words[i % words.length]!

const list = (name: string, filter: object, operation = 'patients.list') =>
  asEach(
    name,
    (who) => who.call(operation, filter),
    () => [operation, filter],
  )

/** An operation as the administrator calls it. */
const asked = (name: string, call: Required<Benchmark>['call']): Benchmark => ({
  name,
  run: (bench, i) => bench.admin.call(...call(bench, i)),
  call,
})

/** A report of the last whole month, for all clinics together, as the records are now. */
const report = (code: string): Benchmark => ({
  name: `report: ${code}`,
  times: 3,
  run: ({ admin, clinicIds }) =>
    admin.call('reports.run', { code, clinic_ids: clinicIds, period: lastMonth(), number: LIVE }),
})

function lastMonth() {
  const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth()]
  return new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 7)
}

/** A page of FHIR, as the administrator's program reads it. */
const fhir = (name: string, path: (bench: Workbench, i: number) => string): Benchmark => ({
  name: `FHIR: ${name}`,
  isBusy: true,
  run: (bench, i) => bench.admin.page(`/api/fhir/${path(bench, i)}`),
})
const patientId = ({ patientAt }: Workbench, i: number) => patientAt(i).id

const fullName = ({ patientAt }: Workbench, i: number) =>
  `${patientAt(i).given_name} ${patientAt(i).surname}`

/** Everything that is measured. A new measure is a line here. */
export const measures: readonly Benchmark[] = [
  { name: 'sign in', times: 10, run: (bench) => bench.signIn() },
  ...list('patients: list', {}),
  ...list('patients: page 100', { page: 100 }),
  ...list('patients: page 200', { page: 200 }),
  ...list('patients: by surname', { sort: 'surname' }),
  ...list('patients: women of 20 to 29', { sex: 'female', ageFrom: 20, ageTo: 29 }),
  ...list('patients: visited this year', { visitedFrom: `${new Date().getFullYear()}-01-01` }),
  ...list('patients: list of a common name', { search: 'mohammed' }),
  ...found('full name', fullName, 'some'),
  ...found('part of a name', (bench, i) => bench.patientAt(i).surname.slice(0, 4), 'some'),
  ...found('two letters', inTurn('mo', 'ah', 'ga', 'ma'), 'some'),
  ...found('Arabic', inArabic, 'some'),
  ...found('across scripts', inTurn('محمد haddad', 'mohammad', 'fatma', 'يوسف khatib')),
  ...found('phone', ({ phoneAt }, i) => phoneAt(i), 'some'),
  ...found('external id', ({ externalIdAt }, i) => externalIdAt(i), 'some'),
  ...found('misspelt', inTurn('mohamadd', 'hadadd', 'gonzalze', 'khateeb')),
  ...found('nobody', inTurn('zzqxw', 'wqxkj 99', '000000000000'), 'none'),
  ...list('prescriptions: list', {}, 'prescriptions.list'),
  ...list('appointments: list', {}, 'appointments.list'),
  asked('patient', (bench, i) => ['patients.get', { id: bench.patientAt(i).id }]),
  asked('register a patient', (bench) => ['patients.create', aPerson(bench)]),
  {
    name: 'patient page',
    run: (bench, i) => bench.admin.page(`/app/patients/${bench.patientAt(i).id}`),
  },
  { name: 'list page, one clinic', run: (bench) => bench.provider.page('/app/patients') },
  asked('latest vital signs', (bench, i) => [
    'vitals.latest',
    { patientId: bench.patientAt(i).id },
  ]),
  asked('safety check of eight medicines', (bench, i) => [
    'prescriptions.check',
    { patientId: bench.patientAt(i).id, drugIds: bench.drugIds },
  ]),
  { name: 'save a patient', run: saveAgain },
  {
    name: 'likely duplicates',
    async run(bench, i) {
      if (i % FREE_LOOKUPS === 0) await forgetLookups(bench)
      return bench.admin.call('patients.duplicates', duplicateSearchInput(bench, i))
    },
  },
  fhir('read a patient', (bench, i) => `Patient/${patientId(bench, i)}`),
  fhir(
    'search by name',
    ({ patientAt }, i) => `Patient?name=${encodeURIComponent(patientAt(i).surname)}`,
  ),
  fhir('search by birth date', (_bench, i) => `Patient?birthdate=${1950 + (i % 60)}-05&_count=20`),
  fhir(
    'vital signs of a patient',
    (bench, i) => `Observation?patient=${patientId(bench, i)}&code=85354-9&_sort=-date`,
  ),
  fhir('problems by code', () => 'Condition?code=I10&_count=20'),
  fhir('changed last', () => 'Encounter?_sort=-_lastUpdated&_count=20'),
  fhir('$summary', (bench, i) => `Patient/${patientId(bench, i)}/$summary`),
  fhir('$everything', (bench, i) => `Patient/${patientId(bench, i)}/$everything`),
  ...asEach('follow-up: overdue', (who) => who.call('followups.list', {})),
  ...STARTER_REPORTS.map(({ definition }) => report(definition.code)),
  { name: 'audit trail', run: (bench) => bench.admin.call('audit.list', {}) },
]

/** Changes what no measure searches, but searches find. */
async function saveAgain({ admin, patientAt }: Workbench, i: number) {
  const patient = patientAt(i)
  const saved = await admin.call<{ last_modified: string }>('patients.save', {
    id: patient.id,
    last_modified: patient.last_modified,
    government_id: `B ${newId().slice(-12)}`,
  })
  patient.last_modified = saved.last_modified
}

/** A new person each time. */
export function aPerson({ clinicId }: Pick<Workbench, 'clinicId'>) {
  const id = newId()
  return {
    id,
    primary_clinic_id: clinicId,
    given_name: 'Layla',
    surname: benchName(id),
    sex: 'female',
    date_of_birth: '1990-05-17',
    phone: benchPhoneNumber(id),
  }
}

/** Fewer than a user may make in an hour without waiting. */
const FREE_LOOKUPS = 40

async function forgetLookups({ dataDir }: Workbench) {
  const db = connectToDataDir(dataDir)
  await db.deleteFrom('identity_lookups').execute()
  await db.destroy()
}

function duplicateSearchInput({ patientAt }: Workbench, i: number) {
  const { given_name, surname } = patientAt(i)
  return { given_name, surname, date_of_birth: '1990' }
}
