import type pg from 'pg'
import { stableId } from '~/features/exchange/imports/stable-id'
import { defaultPermissions, PERMISSIONS, type Role } from '~/shared/permissions'
import { arabic, latinArabic, spanish } from './names'
import type { SeedClinic } from './people'
import { seededRandom } from './random'

const names = [
  'Al-Noor Health Centre',
  'Riverside Clinic',
  'Clínica Esperanza',
  'Zaatari Mobile Clinic',
  'عيادة السلام',
]
const departments = [
  { name: 'General medicine', can_dispense_medications: false, can_perform_labs: false },
  { name: 'Pharmacy', can_dispense_medications: true, can_perform_labs: false },
  { name: 'Laboratory', can_dispense_medications: false, can_perform_labs: true },
]
const staff: readonly Role[] = ['provider', 'provider', 'provider', 'registrar', 'registrar']

/** Makes the clinics that are not there yet, each with departments and people who work in it. */
export async function seedClinics(
  client: pg.Client,
  seed: string,
  given?: { id: string; name: string },
): Promise<SeedClinic[]> {
  const clinics = []
  for (const { id, name } of given
    ? [given]
    : names.map((one) => ({ id: stableId('seed', 'clinic', one), name: one }))) {
    const { rows } = await client.query<{ id: string }>(
      `with made as (insert into clinics (id, name) values ($1, $2) on conflict do nothing returning id)
       select id from made
       union all
       select id from clinics where (id = $1 or lower(name) = lower($2)) and not is_deleted
       limit 1`,
      [id, name],
    )
    const clinic = { id: rows[0]?.id ?? id, name }
    if (!given) await seedDepartments(client, clinic.id)
    clinics.push({ ...clinic, staff: await seedStaff(client, seed, clinic) })
  }
  return clinics
}

/** General medicine, the pharmacy and the laboratory of a clinic. */
export const clinicDepartments = (clinicId: string) =>
  departments.map((one) => ({
    ...one,
    id: stableId('seed', 'department', clinicId, one.name),
  })) as [Department, Department, Department]
type Department = (typeof departments)[number] & { id: string }

export const seedDepartments = (client: pg.Client, clinicId: string) =>
  client.query(
    `insert into clinic_departments (id, clinic_id, name, can_dispense_medications, can_perform_labs)
     select id, $1, name, can_dispense_medications, can_perform_labs
     from jsonb_to_recordset($2) d(id uuid, name text, can_dispense_medications boolean, can_perform_labs boolean)
     on conflict do nothing`,
    [clinicId, JSON.stringify(clinicDepartments(clinicId))],
  )

/** Without passwords: they cannot sign in until an administrator sets one. */
async function seedStaff(
  client: pg.Client,
  seed: string,
  clinic: { id: string; name: string },
): Promise<SeedClinic['staff']> {
  const random = seededRandom(seed, 'staff', clinic.id)
  const people = staff.map((role, i) => {
    const region = random.pick([arabic, latinArabic, spanish])
    const name = `${random.pick(random.chance(0.5) ? region.female : region.male)} ${random.pick(region.family)}`
    const id = stableId('seed', seed, 'user', clinic.id, String(i))
    return { id, name, role, email: `${role}.${id.slice(0, 8)}@seed.example` }
  })
  await client.query(
    `insert into users (id, name, email, role, clinic_id)
     select id, name, email, role, $1
     from jsonb_to_recordset($2) u(id uuid, name text, email text, role text)
     on conflict do nothing`,
    [clinic.id, JSON.stringify(people)],
  )
  const rights = people.map(({ id, role }, i) => ({
    ...Object.fromEntries(
      PERMISSIONS.map((permission) => [permission, defaultPermissions(role).includes(permission)]),
    ),
    user_id: id,
    is_clinic_admin: i === 0,
  }))
  const columns = PERMISSIONS.join(', ')
  await client.query(
    `insert into user_clinic_permissions (user_id, clinic_id, ${columns})
     select user_id, $1, ${columns}
     from jsonb_to_recordset($2) p(user_id uuid, ${PERMISSIONS.map((permission) => `${permission} boolean`).join(', ')})
     on conflict do nothing`,
    [clinic.id, JSON.stringify(rights)],
  )
  return people.filter(({ role }) => role === 'provider')
}
