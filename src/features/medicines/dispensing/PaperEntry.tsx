import { Button, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { api } from '~/client/api'
import { LinkAnchor } from '~/client/links'
import { explainError } from '~/client/explain'
import { useQuery } from '~/client/query'
import { EarlierDay } from '~/features/rules/earlier/EarlierDay'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { drugTitle } from '~/features/medicines/drugs/drug'
import { patientName } from '~/features/people/patients/patient'
import { PickList } from '~/fields/PickList'
import { AppError, invalid, type Message } from '~/shared/errors'
import { newId } from '~/shared/id'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { cleanLine } from '~/shared/typed-text'
import { useFormState } from '~/ui/form'
import { FormAlert } from '~/ui/FormAlert'
import { NumberBox } from '~/ui/NumberBox'

type Named = { id: string; name: string }
type Line = { patient: Named | null; drug: Named | null; quantity: number | '' }
type Saved = Line & { count: number; shortfall: number }
type Sheet = Line & { day: string | null }
const NO_LINE: Line = { patient: null, drug: null, quantity: '' }
const SETTLE_MS = 250

/**
 * Lines of a paper register, one after the other: the day stays, and the keyboard goes from the patient to the
 * medicine, the quantity and back.
 */
export function PaperEntry({ clinic }: { clinic: Named }) {
  const say = useSay()
  const [id, setId] = useState(newId)
  /** The line is recorded, perhaps with other values. */
  const [isThere, setThere] = useState(false)
  const [last, setLast] = useState<Saved | null>(null)
  const [patientBox, drugBox, quantityBox] = [useId(), useId(), useId()]
  const form = useFormState<Sheet>({
    start: { ...NO_LINE, day: null },
    differs: (_start, { patient, drug, quantity }) => Boolean(patient ?? drug) || quantity !== '',
    isField: (path) => ['patientId', 'drugId', 'quantity', 'day', 'batchId'].includes(path),
  })
  const { ref, alert, values, errors, isSaving } = form
  const errorAt = (name: string) => errors[name] && say(errors[name])

  async function save() {
    const { patient, drug, quantity, day } = values
    const missing: Record<string, Message> = {}
    if (!patient) missing['patientId'] = { key: 'prescriptions.patientRequired' }
    if (!drug) missing['drugId'] = { key: 'prescriptions.selectMedication' }
    if (!(Number(quantity) > 0)) missing['quantity'] = { key: 'dispensing.quantityPositive' }
    if (!patient || !drug || Object.keys(missing).length > 0) throw invalid(missing)
    const line = { clinicId: clinic.id, patientId: patient.id, drugId: drug.id }
    setThere(false)
    const { shortfall } = await saveAsking((confirmed) =>
      api.dispensing.fromPaper({ id, ...line, quantity: Number(quantity), day, confirmed }),
    ).catch((error: unknown) => {
      // the line may be right as it is: it can be recorded once its user has looked
      if (error instanceof AppError && error.text.key === 'dispensing.alreadyRecorded') {
        setId(newId())
        setThere(true)
      }
      throw error
    })
    setId(newId())
    setLast({ patient, drug, quantity, shortfall, count: (last?.count ?? 0) + 1 })
    form.begin({ ...NO_LINE, day }, { ...NO_LINE, day })
  }

  return (
    <form ref={ref} onSubmit={(event) => void form.submit(event, save)} method="post" noValidate>
      <Stack gap="md" maw="32rem">
        <FormAlert {...alert} />
        {isThere && (
          <LinkAnchor
            size="sm"
            to="/app/dispensing"
            search={{ show: 'records', clinicId: clinic.id }}
          >
            {say('dispensing.records')}
          </LinkAnchor>
        )}
        <EarlierDay
          value={values.day}
          onChange={(day) => form.change({ day }, ['day'])}
          clinicId={clinic.id}
          error={errorAt('day')}
          disabled={isSaving}
        />
        <PatientBox
          key={`patient ${last?.count ?? 0}`}
          boxId={patientBox}
          value={values.patient}
          error={errorAt('patientId')}
          onChange={(patient) => {
            form.change({ patient }, ['patientId'])
            if (patient) focusOn(drugBox)
          }}
        />
        <DrugBox
          key={`drug ${last?.count ?? 0}`}
          boxId={drugBox}
          value={values.drug}
          error={errorAt('drugId')}
          onChange={(drug) => {
            form.change({ drug }, ['drugId'])
            if (drug) focusOn(quantityBox)
          }}
        />
        <NumberBox
          id={quantityBox}
          label={say('inventory.quantity')}
          value={values.quantity}
          onChange={(quantity) => form.change({ quantity }, ['quantity'])}
          error={errorAt('quantity')}
          disabled={isSaving}
          withAsterisk
          aria-required
        />
        <Group>
          <Button type="submit" disabled={isSaving}>
            {say('dispensing.paperSave')}
          </Button>
        </Group>
        <div aria-live="polite">{last && <LastLine {...last} />}</div>
      </Stack>
    </form>
  )
}

function LastLine({ count, patient, drug, quantity, shortfall }: Saved) {
  const say = useSay()
  return (
    <Text size="sm">
      {say({
        key: 'dispensing.paperSaved',
        values: {
          count,
          patient: patient?.name ?? '',
          medicine: drug?.name ?? '',
          quantity: Number(quantity),
        },
      })}
      {shortfall > 0 &&
        ` · ${say({ key: 'dispensing.paperShort', values: { quantity: shortfall } })}`}
    </Text>
  )
}

const focusOn = (boxId: string) => document.getElementById(boxId)?.focus()

type BoxProps = {
  boxId: string
  value: Named | null
  onChange: (value: Named | null) => void
  error?: string
}

/** A new line has a new box, where it begins. */
function PatientBox(props: BoxProps) {
  const { boxId } = props
  useEffect(() => focusOn(boxId), [boxId])
  const [typed, setTyped] = useState(props.value?.name ?? '')
  const [settled] = useDebouncedValue(typed, SETTLE_MS)
  const isAsked = settled.trim() !== '' && settled !== props.value?.name
  const { data, error } = useQuery(
    'patients.search',
    isAsked ? { searchQuery: settled, dispensing: true } : null,
    { keepPrevious: true },
  )
  const found = (data?.patients ?? []).map((patient) => ({
    value: patient.id,
    label: patientName(patient),
    details: [patient.date_of_birth, patient.phone, patient.government_id]
      .filter(Boolean)
      .join(' · '),
  }))
  const isSettled = isAsked && settled === typed
  return (
    <QuickPick
      {...props}
      {...{ typed, setTyped, found, isSettled }}
      label="prescriptions.patient"
      unread={error ? explainError(error).text : undefined}
    />
  )
}

function DrugBox(props: BoxProps) {
  const say = useSay()
  const [typed, setTyped] = useState(props.value?.name ?? '')
  const [settled] = useDebouncedValue(typed, SETTLE_MS)
  const isAsked = settled.trim() !== '' && settled !== props.value?.name
  const { data, error } = useQuery(
    'drugs.search',
    isAsked ? { searchQuery: settled.trim() } : null,
    {
      keepPrevious: true,
    },
  )
  const found = (data ?? []).map((drug) => ({
    value: drug.id,
    // without the marks around its strength, which a saved text may not have
    label: cleanLine(drugTitle(drug, say)),
    details: '',
  }))
  const isSettled = isAsked && settled === typed
  return (
    <QuickPick
      {...props}
      {...{ typed, setTyped, found, isSettled }}
      label="dispensing.medicine"
      unread={error ? explainError(error).text : undefined}
    />
  )
}

type QuickProps = BoxProps & {
  label: MessageKey
  typed: string
  setTyped: (text: string) => void
  found: readonly { value: string; label: string; details: string }[]
  /** The list answers what is typed now. */
  isSettled: boolean
  /** Why the list could not be read: an empty one would say that nothing was found. */
  unread: Message | undefined
}

/**
 * Enter takes the only one that was found. Of several, it says how many match and an arrow chooses: the first could be
 * another patient.
 */
function QuickPick({
  boxId,
  value,
  onChange,
  error,
  label,
  typed,
  setTyped,
  found,
  isSettled,
  unread,
}: QuickProps) {
  const say = useSay()
  /** The text for which Enter found more than one. */
  const [severalOf, setSeveralOf] = useState<string | null>(null)
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const [only, second] = found
    const hasActive = Boolean(event.currentTarget.getAttribute('aria-activedescendant'))
    if (event.key !== 'Enter' || value || hasActive || typed.trim() === '') return
    // the line is not saved by an Enter that was meant for this box
    event.preventDefault()
    if (!isSettled || !only) return
    if (second) return setSeveralOf(typed)
    setTyped(only.label)
    onChange({ id: only.value, name: only.label })
  }
  const several =
    severalOf === typed && !value
      ? say({ key: 'dispensing.paperSeveral', values: { count: found.length } })
      : undefined
  const others = found.filter((one) => one.value !== value?.id)
  const wrong = several ?? (unread && say(unread)) ?? error
  return (
    <PickList
      id={boxId}
      wrapperProps={{ 'data-late-list': true }}
      label={say(label)}
      value={value?.id ?? null}
      data={[...(value ? [{ value: value.id, label: value.name }] : []), ...others]}
      // the server has filtered and ranked them
      filter={({ options }) => options}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(id, option) => onChange(id && option ? { id, name: option.label } : null)}
      onKeyDown={onKeyDown}
      renderOption={({ option }) => (
        <Group gap="xs" justify="space-between" w="100%">
          <Text size="sm">
            <bdi>{option.label}</bdi>
          </Text>
          <Text size="xs" c="dimmed" dir="ltr">
            {found.find((one) => one.value === option.value)?.details}
          </Text>
        </Group>
      )}
      nothingFoundMessage={typed && !unread ? say('form.nothingFound') : undefined}
      error={wrong}
      aria-invalid={Boolean(wrong) || undefined}
      withAsterisk
      aria-required
      autoComplete="off"
    />
  )
}
