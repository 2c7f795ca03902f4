import { useMemo } from 'react'
import { useFormatter } from 'use-intl'
import { api } from '~/client/api'
import { drugName } from '~/features/medicines/drugs/drug'
import { patientName } from '~/features/people/patients/patient'
import { mayReadUsers } from '~/features/office/users/reach'
import { knowPatient } from '~/policy/rules'
import { strength } from '~/records/strength'
import { type Actor, mayAnywhere } from '~/shared/actor'
import { PERMISSIONS } from '~/shared/permissions'
import { useSay } from '~/shared/say'
import { TIME_OF_DAY } from '~/ui/clock'
import type { RecordSource } from './palette-search'

/** Of each kind; who wants more has the list's own search. */
const SHOWN = 5

/** A plus sign stays in front of its number, also among Arabic. */
const leftToRight = (text: string) => `\u2066${text}\u2069`

/** Where the palette looks for records: only kinds that the person may see, and the server returns only those rows. */
export function usePaletteSources(actor: Actor): RecordSource[] {
  const say = useSay()
  const format = useFormatter()
  return useMemo(() => {
    const knowsPatients = mayAnywhere(actor, ...knowPatient.permissions)
    const moment = (at: Date) =>
      format.dateTime(at, { day: 'numeric', month: 'short', year: 'numeric', ...TIME_OF_DAY })
    const day = (text: string) =>
      format.dateTime(new Date(`${text}T00:00:00Z`), {
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        timeZone: 'UTC',
      })

    const patients: RecordSource = {
      label: 'nav.patients',
      find: async (searchQuery, signal) => {
        const found = await api.patients.search({ searchQuery, limit: SHOWN }, { signal })
        return found.patients.map((patient) => ({
          id: patient.id,
          label: patientName(patient),
          description: [
            patient.date_of_birth && day(patient.date_of_birth),
            patient.phone && leftToRight(patient.phone),
          ]
            .filter(Boolean)
            .join(' · '),
          to: `/app/patients/${patient.id}`,
        }))
      },
    }
    const appointments: RecordSource = {
      label: 'nav.appointments',
      find: async (searchQuery, signal) => {
        const found = await api.appointments.search({ searchQuery, limit: SHOWN }, { signal })
        return found.appointments.map(({ id, patient, timestamp, clinic }) => ({
          id,
          label: patient,
          description: `${moment(timestamp)} · ${clinic}`,
          to: `/app/appointments/edit/${id}`,
        }))
      },
    }
    const drugs: RecordSource = {
      label: 'nav.drugCatalogue',
      find: async (searchQuery, signal) => {
        const found = await api.drugs.search({ searchQuery, limit: SHOWN }, { signal })
        return found.map((drug) => ({
          id: drug.id,
          label: drugName(drug),
          description: strength(drug, say),
          to: `/app/inventory/clinic-inventory/drug/edit/${drug.id}`,
        }))
      },
    }
    const eventForms: RecordSource = {
      label: 'nav.eventForms',
      find: async (search, signal) => {
        const { rows } = await api.eventForms.list({ search }, { signal })
        return rows
          .slice(0, SHOWN)
          .map(({ id, name }) => ({ id, label: name, to: `/app/event-forms/edit/${id}` }))
      },
    }
    const users: RecordSource = {
      label: 'nav.users',
      find: async (search, signal) => {
        const { rows } = await api.users.list({ search }, { signal })
        return rows.slice(0, SHOWN).map(({ id, name, email, role }) => ({
          id,
          label: name,
          description: `${say(`roles.${role}`)} · ${email}`,
          to: `/app/users/edit/${id}`,
        }))
      },
    }
    return [
      ...(knowsPatients ? [patients, appointments] : []),
      ...(mayAnywhere(actor, ...PERMISSIONS) ? [drugs] : []),
      ...(mayAnywhere(actor, 'is_clinic_admin') ? [eventForms] : []),
      ...(mayReadUsers(actor) ? [users] : []),
    ]
  }, [actor, format, say])
}
