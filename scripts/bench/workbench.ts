import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { newId } from '~/shared/id'
import { summarizeTimes } from './percentiles'
import {
  type BenchClient,
  freePort,
  runCommand,
  signInToServer,
  startServer,
  stopServer,
} from './server'

/** A running clinic, and how to ask it. */
export type Workbench = Awaited<ReturnType<typeof openWorkbench>>

/** `most`: how often each measure is taken at most. */
type Options = { patients: number; keep?: string; signal: AbortSignal; most?: number }
type Patient = {
  id: string
  given_name: string
  surname: string
  phone: string | null
  external_patient_id: string | null
  last_modified: string
}

const email = 'bench@clinic.example'
const STARTS = 3

/** Of one check of a prescription. */
const MEDICINES = 8

/** Makes the clinic if the directory is new, and starts Sanad on it as `npm start` does. */
export async function openWorkbench({ patients, keep, signal, most = Infinity }: Options) {
  const dataDir = keep
    ? resolve(process.env['INIT_CWD'] ?? '.', keep)
    : mkdtempSync(join(tmpdir(), 'sanad-bench-'))
  const settings = {
    PATH: process.env['PATH'],
    SANAD_DATA_DIR: dataDir,
    SANAD_LOG_LEVEL: 'silent',
    SANAD_PG_BIN: process.env['SANAD_PG_BIN'],
    PORT: await freePort(),
  }
  const first: number[] = []
  const passwordFile = join(dataDir, 'bench-password')
  if (!existsSync(passwordFile)) {
    const { child, took } = await startServer(settings)
    first.push(took)
    await stopServer(child)
    const password = randomBytes(12).toString('hex')
    const owner = [
      'create-super-admin',
      '--email',
      email,
      '--name',
      'Bench',
      '--clinic',
      'Bench clinic',
      '--password-stdin',
    ]
    runCommand('admin', owner, settings, password)
    runCommand('seed', ['--patients', String(patients)], settings)
    writeFileSync(passwordFile, password, { mode: 0o600 })
  }
  const password = readFileSync(passwordFile, 'utf8')

  const again: number[] = []
  for (let i = 1; i < STARTS; i += 1) {
    signal.throwIfAborted()
    const { child, took } = await startServer(settings)
    again.push(took)
    await stopServer(child)
  }
  const { child: server, url, took } = await startServer(settings)
  again.push(took)
  const signIn = (who = email, secret = password) => signInToServer(url, who, secret)
  const admin = await signIn()

  // the same people every time: spread over the whole list
  const pages = Math.max(1, Math.floor(patients / 50))
  const sampled = new Map<string, Patient>()
  for (let i = 0; i < 10; i += 1) {
    const page = 1 + Math.floor((pages - 1) * (i / 10))
    const found = await admin.call<{ patients: Patient[] }>('patients.list', {
      page,
      sort: 'created_at',
    })
    for (const patient of found.patients.slice(0, 5)) sampled.set(patient.id, patient)
  }
  const sample = [...sampled.values()]
  const phones = sample.flatMap(({ phone }) => phone?.slice(-7) || [])
  const externalIds = sample.flatMap(({ external_patient_id: id }) => id || [])
  const clinics = await admin.call<Clinic[]>('clinics.list', {})
  const clinicId = firstSeededClinicId(clinics)
  const { patients: there } = await admin.call<{ patients: Patient[] }>('patients.list', {
    clinicId,
  })
  const { rows: drugs } = await admin.call<{ rows: { id: string }[] }>('drugs.list', {
    limit: MEDICINES,
  })
  const provider = await aUser(admin, signIn, { role: 'provider', clinicId })
  return {
    dataDir,
    server,
    url,
    version: (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version,
    /** How long it took from the command to the line that it is ready. */
    starts: [
      ...(first.length ? [summarizeTimes('first start, makes the database', first)] : []),
      summarizeTimes('start', again),
    ],
    /** Who may do everything. */
    admin,
    /** Who sees the patients of one clinic. */
    provider,
    /** Signs in a new user of that clinic. */
    userOf: (role: 'registrar' | 'provider') => aUser(admin, signIn, { role, clinicId }),
    clinicId,
    clinicIds: clinics.map(({ id }) => id),
    /** Medicines of the catalogue, for a check of all of them at once. */
    drugIds: drugs.map(({ id }) => id),
    /** The id of a patient of that clinic. */
    ofClinic: (i: number) => there[i % there.length]!.id,
    signIn,
    patients,
    most,
    owner: { email, password },
    patientAt: (i: number) => sample[i % sample.length]!,
    /** Seven digits that find a patient. */
    phoneAt: (i: number) => phones[i % phones.length]!,
    externalIdAt: (i: number) => externalIds[i % externalIds.length]!,
    close: () => stopServer(server),
  }
}

type Clinic = { id: string; name: string }

const firstSeededClinicId = (clinics: readonly Clinic[]) =>
  (clinics.find(({ name }) => name !== 'Bench clinic') ?? clinics[0]!).id

async function aUser(
  admin: BenchClient,
  signIn: (who: string, secret: string) => Promise<BenchClient>,
  { role, clinicId }: { role: 'registrar' | 'provider'; clinicId: string },
): Promise<BenchClient> {
  const [who, first, password] = [
    `${role}-${newId()}@clinic.example`,
    randomBytes(12).toString('hex'),
    randomBytes(12).toString('hex'),
  ]
  await admin.call('users.save', {
    id: newId(),
    name: role === 'provider' ? 'Provider' : 'Registrar',
    email: who,
    role,
    clinic_id: clinicId,
    password: first,
  })
  // what another user sets must be replaced before anything is answered
  await (await signIn(who, first)).call('sessions.replacePassword', { newPassword: password })
  return signIn(who, password)
}
