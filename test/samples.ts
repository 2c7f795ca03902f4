import { newId, type Side } from './world'

const switches = { can_dispense_medications: true, can_perform_labs: false, can_perform_imaging: false }

/** For each operation a call that is right in every respect, about one of two clinics: whether it is answered depends on who asks. */
export const samples: Record<string, (side: Side) => unknown> = {
  'audit.list': ({ clinic }) => ({ clinicId: clinic.id }),

  'clinics.list': () => ({}),
  'clinics.names': () => ({}),
  'clinics.get': ({ clinic }) => ({ id: clinic.id }),
  'clinics.save': ({ clinic }) => ({ id: clinic.id, last_modified: clinic.last_modified, name: 'Renamed' }),
  'clinics.archive': ({ empty }) => ({ id: empty.id }),
  'clinics.restore': ({ empty }) => ({ id: empty.id }),
  'clinics.delete': ({ empty }) => ({ id: empty.id }),

  'departments.get': ({ department }) => ({ id: department.id }),
  'departments.hasCapability': ({ department }) => ({ id: department.id, capability: 'dialysis' }),
  'departments.save': ({ clinic }) => ({
    id: newId(),
    clinic_id: clinic.id,
    name: 'Laboratory',
    code: null,
    description: null,
    ...switches,
    additional_capabilities: [],
  }),
  'departments.setStatus': ({ department }) => ({ id: department.id, status: 'inactive' }),
  'departments.toggleCapability': ({ department }) => ({ id: department.id, capability: 'can_perform_labs' }),
  'departments.delete': ({ department }) => ({ id: department.id }),

  'trash.list': () => ({}),
  'trash.restore': ({ deletion }) => ({ id: deletion.id }),
}
