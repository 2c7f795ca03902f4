import type { ReactNode } from 'react'
import { useTimeZone } from 'use-intl'
import { IsoDay } from '~/fields/IsoDay'
import { isEmpty } from '~/fields/kind'
import { fieldKinds } from '~/fields/kinds'
import { askedFields, formField, nameOfField } from '~/features/people/registration/form-fields'
import type { RegistrationForm } from '~/features/people/registration/registration-form'
import { type Language, translated } from '~/shared/language'
import { useSay } from '~/shared/say'
import { dayIn } from '~/shared/zone'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable, type Selection } from '~/ui/DataTable'
import type { Pagination } from '~/ui/Paging'
import { Died } from '../Died'
import { patientName } from '../patient'
import { PatientAge } from '../PatientAge'
import { answersByName } from '../patient-answers'
import { PATIENT_SORTS } from './search'
import type { ListedPatient } from './search.server'

type Props = {
  patients: readonly ListedPatient[]
  pagination: Pagination
  form: RegistrationForm
  language: Language
  /** The selected patients; absent if the user may not delete patients. */
  marked?: Selection
  empty: 'patientSearch.empty' | 'table.noMatch'
  emptyAction?: ReactNode
}

/** The list of patients, with the columns that the registration form shows in its summary. */
export function PatientTable({
  patients,
  pagination,
  form,
  language,
  marked,
  empty,
  emptyAction,
}: Props) {
  const say = useSay()
  const name: Column<ListedPatient> = {
    key: 'given_name',
    label: 'patientSearch.name',
    sortable: true,
    cell: (patient) => (
      <>
        <bdi>{patientName(patient) || say('patientSearch.unnamed')}</bdi>
        {patient.died_on && (
          <>
            {' '}
            <Died on={patient.died_on} />
          </>
        )}
      </>
    ),
  }
  const age: Column<ListedPatient> = {
    key: 'age',
    card: 'badge',
    label: 'patientSearch.age',
    cell: (patient) => (patient.date_of_birth ? <PatientAge patient={patient} /> : <Nothing />),
  }
  const columns = [
    name,
    ...answerColumns(form, language),
    age,
    {
      key: 'clinics',
      label: 'patientSearch.clinics',
      isOfClinic: true,
      cell: ({ clinics }: ListedPatient) => <Clinics clinics={clinics} />,
    } as const,
    {
      key: 'created_at',
      label: 'patientSearch.registered',
      sortable: true,
      cell: ({ created_at }: ListedPatient) => <Day at={created_at} />,
    } as const,
  ]
  return (
    <DataTable
      label="patients.title"
      columns={columns}
      rows={patients}
      pagination={pagination}
      rowLink={({ id }) => `/app/patients/${id}`}
      nameOf={(patient) => patientName(patient) || say('patientSearch.unnamed')}
      selection={marked}
      empty={empty}
      emptyAction={emptyAction}
    />
  )
}

const isSortable = (name: string) => (PATIENT_SORTS as readonly string[]).includes(name)

/** Columns with the labels of the form; the names have a separate column. */
function answerColumns(form: RegistrationForm, language: Language): Column<ListedPatient>[] {
  const shown = askedFields(form.fields).filter(
    ({ showsInSummary, column, baseField }) =>
      showsInSummary && !(baseField && column === 'given_name'),
  )
  return shown
    .filter(({ column, baseField }) => !(baseField && column === 'surname'))
    .map((stored) => {
      const [key, field] = [nameOfField(stored), formField(stored, language)]
      const { Cell } = fieldKinds[field.kind]
      return {
        key,
        label: { text: translated(stored.label, language) },
        sortable: isSortable(key),
        align: field.kind === 'number' ? ('end' as const) : undefined,
        card: stored.baseField && stored.column === 'sex' ? ('badge' as const) : undefined,
        cell: (patient: ListedPatient) => {
          const value = answersByName([stored], patient, patient.attributes, 'UTC')[key] ?? null
          return isEmpty(value) ? <Nothing /> : <Cell field={field} value={value} />
        },
      }
    })
}

function Clinics({ clinics }: Pick<ListedPatient, 'clinics'>) {
  if (clinics.length === 0) return <Nothing />
  return clinics.map(({ id, name }, at) => (
    <span key={id}>
      {at > 0 && ' · '}
      <bdi>{name}</bdi>
    </span>
  ))
}

function Day({ at }: { at: Date }) {
  return <IsoDay day={dayIn(new Date(at), useTimeZone() ?? 'UTC')} />
}
