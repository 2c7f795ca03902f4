import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { AllergiesFirst } from '~/features/care/banner/PatientBanner'
import { PatientFactsLine } from '~/features/medicines/safety/PatientFactsLine'
import type { GivenReason, GivenReasons } from '~/features/medicines/safety/second/given-reason'
import { overridesFrom } from '~/features/medicines/safety/OverrideReason'
import { answersAbout } from '~/features/medicines/safety/Answers'
import {
  SafetyPanel,
  unreasoned,
  WarningItems,
  warningsBelow,
} from '~/features/medicines/safety/SafetyPanel'
import {
  refusedSeconds,
  SecondPerson,
  withoutSeconds,
} from '~/features/medicines/safety/second/second-person'
import { prescriptionRecord } from '~/records/prescription'
import type { PrescriptionStatus } from '~/records/prescription-status'
import { AppError } from '~/shared/errors'
import { firstErrors } from '~/shared/problems'
import { type Sayable, useSay } from '~/shared/say'
import { type FieldErrors, useFormState } from '~/ui/form'
import { FormAlert } from '~/ui/FormAlert'
import { StaleNotice } from '~/ui/StaleNotice'
import { MedicationCard } from './MedicationCard'
import { PrescriptionBasics } from './PrescriptionBasics'
import { ProblemPicker } from './ProblemPicker'
import { PrescriptionSets, SetNotes } from '../sets/PrescriptionSets'
import { itemsFor } from '../sets/used-set'
import { SavePrescription } from '../prescription'
import {
  toDose,
  type DraftItem,
  toPrescriptionInput,
  isHalfDose,
  newItem,
  type PrescriptionDraft,
} from './prescription-draft'
import type { Prescription, savePrescription } from '../prescriptions.server'
import { askStep } from '../PrescriptionStatus'
import { isGrossMeant, summarizeErrors } from './form-questions'
import { useClinicStock } from './clinic-stock'
import classes from './PrescriptionForm.module.css'
import { useSafety } from './live-warnings'
import { usePrescribers } from './prescribers'

type Named = { id: string; name: string }
type Saved = Awaited<ReturnType<typeof savePrescription>>
type Given = ReturnType<typeof toPrescriptionInput> & {
  last_modified: Date | undefined
  overrides: ReturnType<typeof overridesFrom>
  allergies_reason: string | null
  reason: string | null
}

type Props = {
  id: string
  start: PrescriptionDraft
  /** Another patient was chosen. */
  onPatient: (patientId: string | null) => void
  /** The one that is being changed. */
  prescription?: Prescription
  /** The id of the current medicine whose place it takes. */
  replacedId?: string
  /** Offered as prescribers wherever the medicines are picked up: who writes, and who prescribed it before. */
  alwaysPrescribers: readonly Named[]
  clinics: readonly Named[]
  /** The statuses that this user may not set. */
  maySet: (status: PrescriptionStatus, clinicId: string | null) => boolean
  mayChange: boolean
  /** Administers the clinic, and so may save a set for all who prescribe there. */
  administers: (clinicId: string) => boolean
  /** May record whether the patient is pregnant. */
  mayRecord: boolean
  onSave: (given: Given) => Promise<Saved>
  onSaved: () => Promise<void>
  /** Another user saved first: reads the newest version. */
  onStale: () => Promise<void>
  cancel: ReactNode
  /** What the prescriber must know of the patient: current medicines, problems. */
  beside: ReactNode
}

/** The prescription form. A refused save keeps everything that was typed. */
export function PrescriptionForm(props: Props) {
  const {
    id,
    start,
    onPatient,
    prescription,
    replacedId,
    alwaysPrescribers,
    clinics,
    maySet,
    mayChange,
    administers,
    mayRecord,
    onSave,
    onSaved,
    onStale,
    cancel,
    beside,
  } = props
  const say = useSay()
  const medicationsId = useId()
  const form = useFormState<PrescriptionDraft>({
    start,
    differs: (a, b) => JSON.stringify(a) !== JSON.stringify(b),
    isField: isKnownPath,
    asksBeforeLeaving: mayChange,
    readNewest: onStale,
  })
  const { ref, values: draft, errors, alert, stale, isSaving } = form
  const saveWords = prescription ? 'prescriptions.update' : 'prescriptions.create'
  // the version that these values were read with: the screen may have been read again since
  const [version, setVersion] = useState(prescription?.last_modified)
  const [reasons, setReasons] = useState<GivenReasons>({})
  const [isAsked, setAsked] = useState(false)
  const [allergiesReason, setAllergiesReason] = useState('')
  const [setNotes, setSetNotes] = useState<readonly Sayable[]>([])
  /** The ids of the items that came from a set. */
  const [ofSets, setOfSets] = useState<readonly string[]>([])
  const stock = useClinicStock(draft.pickup_clinic_id)
  const { prescribers, mayNot } = usePrescribers(
    draft.pickup_clinic_id,
    draft.provider_id,
    alwaysPrescribers,
  )
  const drugIds = draft.items.flatMap(({ drug, item_status }) =>
    drug && item_status !== 'cancelled' ? [drug.drug_id] : [],
  )
  const doses = draft.items.flatMap(({ drug, dose, item_status }) => {
    const whole = item_status === 'cancelled' ? null : toDose(dose)
    return drug && whole ? [{ drugId: drug.drug_id, dose: whole }] : []
  })
  const safety = useSafety({
    patientId: draft.patient?.id,
    drugIds,
    doses,
    prescriptionId: id,
    replacedId,
  })
  const earlier = prescription?.overrides ?? []

  /** What the check answered about an item: cancelled ones are not asked about. */
  const answersOfItem = (item: DraftItem, at: number) =>
    item.drug && item.item_status !== 'cancelled'
      ? answersAbout(
          safety.scope?.medicines,
          item.drug.drug_id,
          draft.items.slice(0, at).filter((one) => one.drug && one.item_status !== 'cancelled')
            .length,
        )
      : undefined

  const placed = draft.items.map(({ drug, item_status }) =>
    item_status === 'cancelled' ? undefined : drug?.drug_id,
  )
  const below = draft.items.map((_, at) => warningsBelow(safety.warnings, placed, at))
  const shownBelow = new Set(below.flat())
  const asking = {
    stage: 'prescribing' as const,
    earlier,
    reasons,
    onReason: (key: string, reason: GivenReason) =>
      setReasons((all) => ({ ...all, [key]: reason })),
    isAsked,
  }

  const change = (values: Partial<PrescriptionDraft>) => {
    if (values.patient !== undefined) onPatient(values.patient?.id ?? null)
    // a second person confirms for one patient and one clinic
    if (values.patient !== undefined || values.pickup_clinic_id !== undefined)
      setReasons((given) => withoutSeconds(given))
    // a problem is one of the patient, and the doses of a set were filled in for the patient
    const all =
      values.patient === undefined
        ? values
        : { problem_id: null, ...withoutSets(values.patient), ...values }
    form.change(all, Object.keys(all).map(inputColumn))
  }
  function withoutSets(patient: PrescriptionDraft['patient']) {
    const items = itemsFor(patient, draft, ofSets)
    if (patient?.id === draft.patient?.id || ofSets.length === 0) return {}
    setSetNotes(items.length < draft.items.length ? ['prescriptionSets.otherPatient'] : [])
    setOfSets([])
    return { items }
  }
  const changeItem = (at: number, values: Partial<DraftItem>) => {
    const update = (current: PrescriptionDraft) => ({
      ...current,
      items: current.items.map((item, i) => (i === at ? { ...item, ...values } : item)),
    })
    form.change(
      update,
      Object.keys(values).map((name) => `items.${at}.${itemColumns[name] ?? name}`),
    )
  }

  async function save(event: FormEvent) {
    event.preventDefault()
    if (isSaving || !mayChange || !form.hasReadableNumbers()) return
    const overrides = overridesFrom(reasons, safety.warnings ?? [])
    const given = {
      ...toPrescriptionInput(draft),
      last_modified: version,
      overrides,
      allergies_reason: allergiesReason || null,
    }
    const parsed = SavePrescription.safeParse({ id, ...given })
    const found = {
      ...halfDoses(draft.items),
      ...(parsed.success ? {} : firstErrors(parsed.error)),
    }
    if (Object.keys(found).length > 0) return form.refuse(found, ...summarizeErrors(found, say))
    if (safety.warnings && unreasoned(safety.warnings, earlier, reasons, 'prescribing').length > 0)
      return askForReasons()
    if (!(await isGrossMeant(safety.warnings ?? [], earlier))) return
    const was = prescription ?? { status: 'pending' as const, is_dispensed: false }
    const step = await askStep(was, draft.status, say)
    if (!step) return
    await form.save(async () => {
      const saved = await onSave({ ...given, reason: step.reason }).catch((error: unknown) => {
        setReasons((all) => withoutSeconds(all, refusedSeconds(error, overrides)))
        throw error
      })
      if (saved.ok) return onSaved()
      safety.refuse({ warnings: saved.warnings, asksSecond: saved.asksSecond })
      setAsked(true)
      throw new AppError('invalid', { key: 'safety.needReasons' })
    })
  }

  function settleStale(next: PrescriptionDraft) {
    form.begin(start, next)
    setVersion(prescription?.last_modified)
  }

  function askForReasons() {
    setAsked(true)
    form.refuse({}, 'safety.needReasons')
  }

  const second =
    safety.asksSecond && draft.patient
      ? { patientId: draft.patient.id, clinicId: draft.pickup_clinic_id }
      : null

  return (
    <SecondPerson value={second}>
      <form ref={ref} onSubmit={save} method="post" noValidate>
        <Stack gap="lg">
          <FormAlert {...alert} lasting={alert.lasting || draft.items.length === 0} />
          {stale && !isSaving && (
            <StaleNotice
              error={stale}
              fields={prescriptionRecord.fields}
              onTakeNewest={() => settleStale(start)}
              onKeepMine={() => settleStale(draft)}
            />
          )}
          <div className={classes.columns}>
            <Stack gap="lg" className={classes.main}>
              <PrescriptionBasics
                draft={draft}
                change={change}
                errors={
                  mayNot
                    ? { provider_id: { key: 'prescriptions.providerMayNot' }, ...errors }
                    : errors
                }
                isEdit={prescription !== undefined}
                prescribers={prescribers}
                clinics={clinics}
                maySet={maySet}
                disabled={isSaving || !mayChange}
              />
              <Paper withBorder p="md" component="section" aria-labelledby={medicationsId}>
                <Stack gap="md">
                  <Group justify="space-between">
                    <Title order={2} id={medicationsId}>
                      {say('prescriptions.medications')}
                    </Title>
                    {mayChange && (
                      <Group gap="xs">
                        <PrescriptionSets
                          draft={draft}
                          clinic={
                            clinics.find(
                              ({ id: clinicId }) =>
                                clinicId === draft.pickup_clinic_id && administers(clinicId),
                            ) ?? null
                          }
                          disabled={isSaving}
                          onAdd={(items, notes) => {
                            // the empty medicine of a new prescription is not kept beside them
                            const begun = draft.items.filter(
                              ({ drug, notes: text, dosage_instructions }) =>
                                drug || text || dosage_instructions,
                            )
                            change({ items: [...begun, ...items] })
                            setSetNotes(notes)
                            setOfSets((before) => [...before, ...items.map((item) => item.id)])
                            form.dismissAlert()
                          }}
                        />
                        <Button
                          variant="default"
                          leftSection={<IconPlus size={16} aria-hidden />}
                          onClick={() => {
                            change({ items: [...draft.items, newItem()] })
                            form.dismissAlert()
                          }}
                          disabled={isSaving}
                        >
                          {say('prescriptions.addMedication')}
                        </Button>
                      </Group>
                    )}
                  </Group>
                  <SetNotes notes={setNotes} />
                  {draft.items.length === 0 && (
                    <Text c="dimmed" size="sm" ta="center" py="lg">
                      {say('prescriptions.noMedications')}
                    </Text>
                  )}
                  {draft.items.map((item, at) => (
                    <MedicationCard
                      key={item.id}
                      number={at + 1}
                      item={item}
                      stock={stock}
                      answers={answersOfItem(item, at)}
                      warnings={<WarningItems {...asking} warnings={below[at] ?? []} />}
                      errors={within(errors, `items.${at}.`)}
                      disabled={isSaving || !mayChange}
                      onChange={(values) => changeItem(at, values)}
                      onRemove={() =>
                        change({
                          items: draft.items.filter(({ id: itemId }) => itemId !== item.id),
                        })
                      }
                    />
                  ))}
                  {draft.patient && (
                    <ProblemPicker
                      patientId={draft.patient.id}
                      value={draft.problem_id}
                      stored={prescription?.problem ?? null}
                      onChange={(problem_id) => change({ problem_id })}
                      error={errors['problem_id'] && say(errors['problem_id'])}
                      disabled={isSaving || !mayChange}
                    />
                  )}
                </Stack>
              </Paper>
            </Stack>
            <Stack gap="md" className={classes.beside}>
              {mayChange && draft.patient && safety.asksAllergies && (
                <AllergiesFirst
                  reason={allergiesReason}
                  onReason={(reason) => {
                    setAllergiesReason(reason)
                    form.change({}, ['allergies_reason'])
                  }}
                  error={errors['allergies_reason'] && say(errors['allergies_reason'])}
                  disabled={isSaving}
                  onRecorded={safety.retry}
                />
              )}
              {draft.patient && safety.facts && (
                <PatientFactsLine
                  facts={safety.facts}
                  record={
                    mayRecord
                      ? {
                          patientId: draft.patient.id,
                          visitId: draft.visit_id,
                          onSaved: safety.retry,
                        }
                      : undefined
                  }
                />
              )}
              {draft.patient && beside}
            </Stack>
          </div>
          {safety.isChecked && (
            <SafetyPanel
              {...asking}
              warnings={
                safety.warnings && safety.warnings.filter((warning) => !shownBelow.has(warning))
              }
              allergyState={safety.allergyState}
              scope={safety.scope}
              patientId={draft.patient?.id}
              onRetry={safety.retry}
            />
          )}
          <Group gap="sm">
            {mayChange && (
              <Button type="submit" disabled={isSaving || stale !== null}>
                {say(isSaving ? 'prescriptions.saving' : saveWords)}
              </Button>
            )}
            {cancel}
          </Group>
        </Stack>
      </form>
    </SecondPerson>
  )
}

/** Names in the draft -> paths of errors. */
const itemColumns: Record<string, string> = {
  drug: 'drug_id',
  quantity: 'quantity_prescribed',
  refills: 'refills_authorized',
}
const inputColumn = (name: string) => (name === 'patient' ? 'patient_id' : name)
const halfDoses = (items: readonly DraftItem[]): FieldErrors =>
  Object.fromEntries(
    items.flatMap(({ dose }, at) =>
      isHalfDose(dose) ? [[`items.${at}.dose`, { key: 'dose.incomplete' }]] : [],
    ),
  )
const BASICS = [
  'allergies_reason',
  'patient_id',
  'provider_id',
  'pickup_clinic_id',
  'priority',
  'status',
  'expiration_date',
  'notes',
  'problem_id',
]
const isKnownPath = (path: string) => BASICS.includes(path) || /^items(\.\d+\.\w+)?$/.test(path)

/** The errors below this path, by the rest of their paths. */
const within = (errors: FieldErrors, prefix: string): FieldErrors =>
  Object.fromEntries(
    Object.entries(errors).flatMap(([path, text]) =>
      path.startsWith(prefix) ? [[path.slice(prefix.length), text]] : [],
    ),
  )
