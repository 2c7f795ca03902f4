import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import {
  type FormEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { AllergyLine } from '~/features/care/allergies/AllergyLine'
import { PatientFactsLine } from '~/features/medicines/safety/PatientFactsLine'
import { overridesFrom, type Reasons } from '~/features/medicines/safety/OverrideReason'
import { SafetyPanel, unreasoned } from '~/features/medicines/safety/SafetyPanel'
import type { Warning } from '~/features/medicines/safety/rules/warning'
import type { PrescriptionStatus } from '~/records/prescription'
import { AppError, type Message } from '~/shared/errors'
import { problems } from '~/shared/problems'
import { type Sayable, useSay } from '~/shared/say'
import { explainUnsaved } from '~/client/explain'
import { FormAlert } from '~/ui/FormAlert'
import { announceExpiry } from '~/client/expiry'
import { focusOnBad } from '~/ui/focusOnBad'
import { returnFocusSoon } from '~/ui/focusTrail'
import { useUnsavedWarning } from '~/ui/unsaved'
import { MedicationCard } from './MedicationCard'
import { PrescriptionBasics } from './PrescriptionBasics'
import { SavePrescription } from '../prescription'
import {
  doseOf,
  type DraftItem,
  inputOf,
  isHalfDose,
  newItem,
  type PrescriptionDraft,
} from './prescription-draft'
import type { Prescription, savePrescription } from '../prescriptions.server'
import { askStep } from '../PrescriptionStatus'
import { confirm } from '~/ui/confirm'
import { useClinicStock } from './clinic-stock'
import { useSafety } from './live-warnings'
import { usePrescribers } from './prescribers'

type Named = { id: string; name: string }
type Saved = Awaited<ReturnType<typeof savePrescription>>
type Given = ReturnType<typeof inputOf> & {
  last_modified: Date | undefined
  overrides: ReturnType<typeof overridesFrom>
  reason: string | null
}

type Props = {
  id: string
  start: PrescriptionDraft
  /** The one that is being changed. */
  prescription?: Prescription
  /**
   * Offered as prescribers wherever the medicines are picked up: who writes, and who prescribed it
   * before.
   */
  alwaysPrescribers: readonly Named[]
  clinics: readonly Named[]
  /** The statuses that this user may not set. */
  maySet: (status: PrescriptionStatus, clinicId: string | null) => boolean
  mayChange: boolean
  /** May record whether the patient is pregnant. */
  mayRecord: boolean
  onSave: (given: Given) => Promise<Saved>
  onSaved: () => Promise<void>
  /** Another user saved first: reads the newest version. */
  onStale: () => Promise<void>
  cancel: ReactNode
}
type Complaints = Record<string, Message>

/** The prescription form. A refused save keeps everything that was typed. */
export function PrescriptionForm(props: Props) {
  const {
    id,
    start,
    prescription,
    alwaysPrescribers,
    clinics,
    maySet,
    mayChange,
    mayRecord,
    onSave,
    onSaved,
    onStale,
    cancel,
  } = props
  const say = useSay()
  const form = useRef<HTMLFormElement>(null)
  const medicationsId = useId()
  const [draft, setDraft] = useState(start)
  // the version that this draft was read from: the screen's data may be read again underneath it
  const [version, setVersion] = useState(prescription?.last_modified)
  const [complaints, setComplaints] = useState<Complaints>({})
  const [whole, setWhole] = useState<Sayable[]>([])
  const [stale, setStale] = useState<Message | null>(null)
  const [reasons, setReasons] = useState<Reasons>({})
  const [isAsked, setAsked] = useState(false)
  const [isSaving, setIsSaving] = useState(false)
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
    const whole = item_status === 'cancelled' ? null : doseOf(dose)
    return drug && whole ? [{ drugId: drug.drug_id, dose: whole }] : []
  })
  const safety = useSafety({ patientId: draft.patient?.id, drugIds, doses, prescriptionId: id })
  const earlier = prescription?.overrides ?? []
  const mayLeaveRef = useUnsavedWarning(
    mayChange && JSON.stringify(draft) !== JSON.stringify(start),
  )
  useFocusOnFirstBad(form, complaints)

  const change = (values: Partial<PrescriptionDraft>) => {
    setDraft((current) => ({ ...current, ...values }))
    setComplaints((found) => without(found, Object.keys(values).map(columnOf)))
  }
  const changeItem = (at: number, values: Partial<DraftItem>) => {
    setDraft((current) => ({
      ...current,
      items: current.items.map((item, i) => (i === at ? { ...item, ...values } : item)),
    }))
    setComplaints((found) =>
      without(
        found,
        Object.keys(values).map((name) => `items.${at}.${itemColumns[name] ?? name}`),
      ),
    )
  }

  async function save(event: FormEvent) {
    event.preventDefault()
    if (isSaving || !mayChange) return
    // a box that still holds the focus has not fallen back yet
    const settled = {
      ...draft,
      items: draft.items.map((item) => ({
        ...item,
        quantity: item.quantity === '' ? 1 : item.quantity,
        refills: item.refills === '' ? 0 : item.refills,
      })),
    }
    setDraft(settled)
    const overrides = overridesFrom(reasons, safety.warnings ?? [])
    const given = { ...inputOf(settled), last_modified: version, overrides }
    const parsed = SavePrescription.safeParse({ id, ...given })
    const found = { ...halfDoses(settled.items), ...(parsed.success ? {} : problems(parsed.error)) }
    if (Object.keys(found).length > 0) return complain(found)
    if (safety.warnings && unreasoned(safety.warnings, earlier, reasons, 'prescribing').length > 0)
      return askForReasons()
    if (!(await isGrossMeant(safety.warnings ?? [], earlier))) return
    const was = prescription ?? { status: 'pending' as const, is_dispensed: false }
    const step = await askStep(was, settled.status, say)
    if (!step) return
    setComplaints({})
    setWhole([])
    setIsSaving(true)
    mayLeaveRef.current = true
    try {
      const saved = await onSave({ ...given, reason: step.reason })
      if (saved.ok) return await onSaved()
      mayLeaveRef.current = false
      safety.setWarnings(saved.warnings)
      askForReasons()
    } catch (error) {
      mayLeaveRef.current = false
      await refuse(error)
    } finally {
      setIsSaving(false)
      returnFocusSoon()
    }
  }

  /** A dose beyond twice the limit is usually a typing error: it asks again. */
  async function isGrossMeant(warnings: readonly Warning[], answered: readonly { key: string }[]) {
    const isGross = ({ key, kind, ...rest }: Warning) =>
      kind === 'dose' &&
      'level' in rest &&
      rest.level === 'must_not' &&
      !answered.some((one) => one.key === key)
    if (!warnings.some(isGross)) return true
    return confirm({ title: 'dose.grossTitle', text: 'dose.grossText', action: 'dose.grossAction' })
  }

  function complain(found: Complaints) {
    const texts: Sayable[] = []
    if (found['items']) texts.push('prescriptions.noItems')
    if (Object.keys(found).some((path) => path.startsWith('items.')))
      texts.push('prescriptions.fillItems')
    // oxlint-disable-next-line no-console -- docs/specification.md logs these sentences
    for (const text of texts) console.error(say(text))
    setComplaints(found)
    setWhole(texts.length > 0 ? texts : ['errors.invalid'])
  }

  function settleStale(next: PrescriptionDraft) {
    setDraft(next)
    setVersion(prescription?.last_modified)
    setStale(null)
  }

  function askForReasons() {
    setAsked(true)
    setWhole(['safety.needReasons'])
    focusOnBad(form.current)
  }

  async function refuse(error: unknown) {
    if (!(error instanceof AppError)) return setWhole([explainUnsaved(error)])
    if (error.code === 'unauthenticated') announceExpiry()
    if (error.code === 'conflict' && error.text.key.startsWith('errors.stale')) {
      await onStale()
      return setStale(error.text)
    }
    setComplaints(error.fields)
    const strays = Object.entries(error.fields).filter(([path]) => !KNOWN_PATH.test(path))
    setWhole([error.text, ...strays.map(([, text]) => text)])
  }

  return (
    <form ref={form} onSubmit={save} method="post" noValidate>
      <Stack gap="lg">
        <FormAlert texts={whole} lasting={draft.items.length === 0} />
        {stale && (
          <Alert
            role="alert"
            color="yellow"
            variant="light"
            title={
              <Text inherit c="var(--mantine-color-text)">
                {say(stale)}
              </Text>
            }
          >
            <Group gap="xs" mt="xs">
              <Button size="xs" onClick={() => settleStale(draft)}>
                {say('form.keepMine')}
              </Button>
              <Button size="xs" variant="default" onClick={() => settleStale(start)}>
                {say('form.takeNewest')}
              </Button>
            </Group>
          </Alert>
        )}
        <PrescriptionBasics
          draft={draft}
          change={change}
          complaints={
            mayNot
              ? { provider_id: { key: 'prescriptions.providerMayNot' }, ...complaints }
              : complaints
          }
          isEdit={prescription !== undefined}
          prescribers={prescribers}
          clinics={clinics}
          maySet={maySet}
          disabled={isSaving || !mayChange}
        />
        {draft.patient && <AllergyLine patientId={draft.patient.id} />}
        {draft.patient && safety.facts && (
          <PatientFactsLine
            facts={safety.facts}
            record={mayRecord ? { patientId: draft.patient.id, onSaved: safety.retry } : undefined}
          />
        )}
        <Paper withBorder p="md" component="section" aria-labelledby={medicationsId}>
          <Stack gap="md">
            <Group justify="space-between">
              <Title order={2} id={medicationsId}>
                {say('prescriptions.medications')}
              </Title>
              {mayChange && (
                <Button
                  variant="default"
                  leftSection={<IconPlus size={16} aria-hidden />}
                  onClick={() => {
                    change({ items: [...draft.items, newItem()] })
                    setWhole([])
                  }}
                  disabled={isSaving}
                >
                  {say('prescriptions.addMedication')}
                </Button>
              )}
            </Group>
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
                complaints={within(complaints, `items.${at}.`)}
                disabled={isSaving || !mayChange}
                onChange={(values) => changeItem(at, values)}
                onRemove={() => change({ items: draft.items.filter(({ id }) => id !== item.id) })}
              />
            ))}
            {safety.isChecked && (
              <SafetyPanel
                warnings={safety.warnings}
                allergyState={safety.allergyState}
                dosesUnchecked={safety.dosesUnchecked}
                scope={safety.scope}
                stage="prescribing"
                patientId={draft.patient?.id}
                earlier={earlier}
                reasons={reasons}
                onReason={(key, reason) => setReasons((all) => ({ ...all, [key]: reason }))}
                isAsked={isAsked}
                onRetry={safety.retry}
              />
            )}
          </Stack>
        </Paper>
        <Group gap="sm">
          {mayChange && (
            <Button type="submit" disabled={isSaving || stale !== null}>
              {say(
                isSaving
                  ? 'prescriptions.saving'
                  : prescription
                    ? 'prescriptions.update'
                    : 'prescriptions.create',
              )}
            </Button>
          )}
          {cancel}
        </Group>
      </Stack>
    </form>
  )
}

/** Names in the draft -> names in the complaints. */
const itemColumns: Record<string, string> = {
  drug: 'drug_id',
  quantity: 'quantity_prescribed',
  refills: 'refills_authorized',
}
const columnOf = (name: string) => (name === 'patient' ? 'patient_id' : name)
const halfDoses = (items: readonly DraftItem[]): Complaints =>
  Object.fromEntries(
    items.flatMap(({ dose }, at) =>
      isHalfDose(dose) ? [[`items.${at}.dose`, { key: 'dose.incomplete' }]] : [],
    ),
  )
const KNOWN_PATH =
  /^(patient_id|provider_id|pickup_clinic_id|priority|status|expiration_date|notes|items(\.\d+\.\w+)?)$/

const without = (found: Complaints, paths: readonly string[]): Complaints =>
  Object.fromEntries(
    Object.entries(found).filter(
      ([path]) => !paths.includes(path) && !(paths.includes('items') && path.startsWith('items')),
    ),
  )
const within = (found: Complaints, prefix: string): Complaints =>
  Object.fromEntries(
    Object.entries(found).flatMap(([path, text]) =>
      path.startsWith(prefix) ? [[path.slice(prefix.length), text]] : [],
    ),
  )

/** Focuses the first invalid field, for keyboards and screen readers. */
function useFocusOnFirstBad(form: RefObject<HTMLFormElement | null>, complaints: Complaints) {
  const seen = useRef(0)
  useEffect(() => {
    const count = Object.keys(complaints).length
    // typing mends complaints; only a new batch moves the focus
    if (count > seen.current)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    seen.current = count
  }, [form, complaints])
}
