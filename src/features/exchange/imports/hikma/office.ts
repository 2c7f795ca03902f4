import { PERMISSIONS } from '~/shared/permissions'
import { stableId } from '../stable-id'
import { columns, freeName, type TableMapping, MOMENT, STAMPS } from './mapping'
import { deletedAlong, reader, type RowReader } from './reading'
import { isId } from '~/shared/id'

const first8 = (id: string) => id.slice(0, 8)
const ROLES = ['registrar', 'provider', 'admin', 'super_admin']

/** Open and live at first: an archived clinic refuses rows. `closeClinics` closes them last. */
export const clinicsMapping: TableMapping = {
  from: 'clinics',
  to: {
    table: 'clinics',
    columns: columns({ text: 'name', boolean: 'is_deleted', [MOMENT]: 'created_at updated_at' }),
    incomparable: ['created_at', 'updated_at'],
  },
  references: {},
  map(row, _known, { isTaken }) {
    const read = reader(row)
    const id = String(row['id'])
    const given = read.name('name', 200)
    if (!given) read.note('emptyName', 'name')
    const wanted = given || `Clinic ${first8(id)}`
    const name = freeName((one) => isTaken('clinic', one.toLowerCase(), id), wanted, 200)
    if (name !== wanted) read.note('sameName', 'name', wanted)
    for (const column of ['attributes', 'address', 'city', 'country']) {
      const value = row[column]
      if (value && !(Array.isArray(value) && value.length === 0))
        read.note('unplacedColumn', column, value)
    }
    const { created_at, updated_at } = read.stamps()
    return read.done({ id, name, is_deleted: false, created_at, updated_at })
  },
}

function nameOrEmail(read: RowReader, email: string): string {
  const name = read.text('name', 200)
  if (!name) read.note('emptyName', 'name')
  return name || email
}

export const usersMapping: TableMapping = {
  from: 'users',
  to: {
    table: 'users',
    columns: columns({
      text: 'name email role instance_url',
      uuid: 'clinic_id',
      ...STAMPS,
    }),
    incomparable: ['created_at', 'updated_at'],
  },
  references: { clinic_id: 'clinics' },
  map(row, known, { closedClinics, isTaken }) {
    const read = reader(row)
    const id = String(row['id'])
    const wanted = (read.text('email', 254) ?? '').trim().toLowerCase()
    if (wanted !== row['email']) read.note('lowerCase', 'email')
    let email = wanted
    if (!wanted || isTaken('email', wanted, id)) {
      const [local = '', ...domain] = wanted.split('@')
      email = `${local}+${first8(id)}@${domain.join('@')}`
      isTaken('email', email, id)
      read.note('sameEmail', 'email', wanted)
    }
    const clinic_id = read.reference('clinic_id', 'clinics', known)
    const isClosed = clinic_id !== null && closedClinics.has(clinic_id)
    if (isClosed) read.note('closedClinic', 'clinic_id', clinic_id)
    return read.done({
      id,
      name: nameOrEmail(read, email),
      email,
      role: read.oneOf('role', ROLES, 'registrar'),
      clinic_id: isClosed ? null : clinic_id,
      instance_url: read.text('instance_url'),
      ...read.stamps(),
    })
  },
}

export const permissionsMapping: TableMapping = {
  from: 'user_clinic_permissions',
  to: {
    table: 'user_clinic_permissions',
    columns: columns({
      uuid: 'user_id clinic_id created_by last_modified_by',
      ...STAMPS,
      boolean: `is_deleted ${PERMISSIONS.join(' ')}`,
    }),
    // the database writes who changed it last
    incomparable: ['created_by', 'last_modified_by', 'created_at', 'updated_at'],
  },
  idOf: ({ id, user_id, clinic_id }) =>
    isId(id) ? id : stableId('hikma.permission', String(user_id), String(clinic_id)),
  references: {
    user_id: 'users',
    clinic_id: 'clinics',
    created_by: 'users',
    last_modified_by: 'users',
  },
  map(row, known, { closedClinics }) {
    const read = reader(row)
    const user = known('users', row['user_id'])
    if (!user) return { unplaced: 'no such user' }
    if (!known('clinics', row['clinic_id'])) return { unplaced: 'no such clinic' }
    if (closedClinics.has(String(row['clinic_id'])))
      return { unplaced: 'rights in a clinic that is archived or deleted' }
    return read.done({
      id: permissionsMapping.idOf!(row),
      user_id: row['user_id'],
      clinic_id: row['clinic_id'],
      ...Object.fromEntries(PERMISSIONS.map((name) => [name, read.flag(name)])),
      created_by: read.reference('created_by', 'users', known),
      last_modified_by: read.reference('last_modified_by', 'users', known),
      ...deletedAlong(read, read.stamps(), [user]),
    })
  },
}

export const departmentsMapping: TableMapping = {
  from: 'clinic_departments',
  to: {
    table: 'clinic_departments',
    columns: columns({
      uuid: 'clinic_id',
      text: 'name code description status',
      'text[]': 'additional_capabilities',
      jsonb: 'metadata',
      ...STAMPS,
      boolean: 'is_deleted can_dispense_medications can_perform_labs can_perform_imaging',
    }),
    incomparable: ['metadata', 'created_at', 'updated_at'],
  },
  references: { clinic_id: 'clinics' },
  map(row, known, { isTaken }) {
    const read = reader(row)
    const id = String(row['id'])
    if (!known('clinics', row['clinic_id'])) return { unplaced: 'no such clinic' }
    const stamps = read.stamps()
    const given = read.name('name', 200)
    if (!given) read.note('emptyName', 'name')
    const wanted = given || `Department ${first8(id)}`
    const key = (name: string) => `${String(row['clinic_id'])} ${name.toLowerCase()}`
    const name = stamps.is_deleted
      ? wanted
      : freeName((one) => isTaken('department', key(one), id), wanted, 200)
    if (name !== wanted) read.note('sameName', 'name', wanted)
    const stored = read.json('additional_capabilities', [])
    return read.done({
      id,
      clinic_id: row['clinic_id'],
      name,
      code: read.text('code'),
      description: read.text('description'),
      status: read.oneOf('status', ['active', 'inactive', 'maintenance'], 'active'),
      can_dispense_medications: read.flag('can_dispense_medications'),
      can_perform_labs: read.flag('can_perform_labs'),
      can_perform_imaging: read.flag('can_perform_imaging'),
      additional_capabilities: Array.isArray(stored) ? stored.map(String) : [],
      ...stamps,
      metadata: read.metadata(),
    })
  },
}
