import { Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { useFormatter, useTimeZone } from 'use-intl'
import { api } from '~/client/api'
import { ClosedReports } from '~/features/rules/earlier/EarlierDay'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { PickList } from '~/fields/PickList'
import { invalid, type Message } from '~/shared/errors'
import { useSay } from '~/shared/say'
import { newId } from '~/shared/id'
import { momentAt, wallTime } from '~/shared/zone'
import { confirm } from '~/ui/confirm'
import type { FormOutput } from '~/ui/FieldForm'
import { MomentInput, useStoredMoment } from '~/ui/MomentInput'
import { RecordDialog, type RecordVersion } from '~/ui/RecordDialog'
import { toast } from '~/ui/toast'
import { proposedVisit } from './proposed-visit'
import {
  betweenMeasures,
  type Confirmable,
  doubtsIn,
  type Entered,
  ENTERED,
  VITAL_MEASURES,
  VITAL_INPUT_UNITS,
  unitKey,
  type Units,
  vitalFields,
  type WithUnits,
} from './vital'
import type { Vital } from './vitals.server'
import { UNIT_OF, useMarkText, useReading } from './VitalValue'

type OpenVisit = { id: string; clinic: string; clinic_id: string; check_in_timestamp: Date }
type Props = {
  patientId: string
  vital?: Vital
  /** The open visits that the user may choose. */
  visits: readonly OpenVisit[]
  /** The one of today; where there is none but earlier ones are open, a new visit is suggested. */
  visitId: string | null
  mayOpen: boolean
  /** Small children are measured lying down or standing up, and it matters. */
  isSmallChild: boolean
  onClose: () => void
}

/** A sentence that says what to do is read more slowly than "Saved". */
const LONG_ENOUGH_MS = 15_000

const REMEMBERED = 'sanad.vital-units'
/**
 * The thermometer of a room does not change, nor does the laboratory, so this browser remembers
 * their units. Weight and height begin in kg and cm for each patient: pounds left over from the
 * last one would become kilograms.
 */
function rememberedUnits(): Units {
  try {
    const { temperature_celsius, creatinine_umol_l } = (JSON.parse(
      localStorage.getItem(REMEMBERED) ?? '{}',
    ) ?? {}) as Units
    return {
      ...(temperature_celsius && { temperature_celsius }),
      ...(creatinine_umol_l && { creatinine_umol_l }),
    }
  } catch {
    // a damaged memory is no memory
    return {}
  }
}

/** Records vital signs, or corrects them: one box after the other by keyboard, only what was measured. */
export function VitalDialog({
  patientId,
  vital,
  visits,
  visitId: ofToday,
  mayOpen,
  isSmallChild,
  onClose,
}: Props) {
  const say = useSay()
  const textOf = useMarkText()
  const read = useReading()
  const saved = useRef<{ id: string; at: Date }>(undefined)
  const format = useFormatter()
  const timeZone = useTimeZone() ?? 'UTC'
  const [units, setUnits] = useState<Units>(() => (vital ? enteredUnits(vital) : rememberedUnits()))
  const [when, setWhen, meanwhile, takeStored] = useStoredMoment(vital?.timestamp, () =>
    wallTime(new Date(), timeZone),
  )
  const [newVisit] = useState(() => ({ id: newId(), check_in_timestamp: new Date() }))
  const [earlier] = ofToday || !mayOpen ? [] : visits
  const proposed = earlier ? newVisit.id : ofToday
  const [chosen, setChosen] = useState<string | null>()
  // the one of today before others of its day
  const offered = [...(earlier ? [newVisit] : []), ...visits].toSorted(
    (a, b) => Number(b.id === proposed) - Number(a.id === proposed),
  )
  const proposedId = proposedVisit(
    offered.map(({ id, check_in_timestamp }) => ({
      id,
      day: wallTime(check_in_timestamp, timeZone).slice(0, 10),
    })),
    when.slice(0, 10),
    chosen,
  )
  const visitId = vital ? vital.visit_id : proposedId

  function chooseUnit(measure: WithUnits, unit: string) {
    const chosenUnits = { ...units, [measure]: unit }
    setUnits(chosenUnits)
    localStorage.setItem(REMEMBERED, JSON.stringify(chosenUnits))
  }

  async function save(values: FormOutput<ReturnType<typeof vitalFields>>, version: RecordVersion) {
    const unchanged = vital && wallTime(vital.timestamp, timeZone) === when
    const timestamp = unchanged ? vital.timestamp : momentAt(when, timeZone)
    if (!timestamp) throw invalid({ timestamp: { key: 'vitals.notATime' } })
    if (earlier && visitId === newVisit.id)
      await api.visits.save({
        ...newVisit,
        patient_id: patientId,
        clinic_id: earlier.clinic_id,
        provider_id: null,
        reason: null,
      })
    const belongs = { patient_id: patientId, visit_id: visitId }
    const data = { ...values, ...version, ...belongs, timestamp, units }
    await saveAsking((asked) => saveDoubtful({ ...data, asked }))
  }

  async function saveDoubtful(
    data: Omit<Parameters<typeof api.vitals.save>[0], 'check_plausible' | 'confirmed'>,
  ) {
    try {
      await api.vitals.save({ ...data, check_plausible: true, confirmed: [] })
    } catch (error) {
      const doubts = doubtsIn(error)
      if (doubts.length === 0 || !(await isRight(doubts))) throw error
      const confirmed = doubts.map(([name]) => name as Confirmable)
      await api.vitals.save({ ...data, check_plausible: true, confirmed })
    }
    saved.current = { id: data.id, at: new Date(data.timestamp) }
  }

  /** What is out of the ordinary in what was saved, and what to do about it. */
  async function sayMarks() {
    const { id, at } = saved.current!
    const next = new Date(at.getTime() + 1)
    // saved they are; the page marks them too, and says where it cannot be read
    const found = await api.vitals.list({ patientId, from: at, to: next }).catch(() => undefined)
    const row = found?.rows.find((each) => each.id === id)
    const marks = VITAL_MEASURES.flatMap((measure) => {
      const mark = row?.marks[measure]
      const value = row?.[measure]
      if (!mark || typeof value !== 'number') return []
      const unit = UNIT_OF[measure]
      const shown = unit ? `${read(value)} ${say(unit)}` : read(value)
      return [`${say(`vitals.${measure}`)} ${shown}: ${textOf(mark)}`]
    })
    if (marks.length > 0) toast.warning(marks.join('. '), { duration: LONG_ENOUGH_MS })
  }

  /** Asks once more, with the value as it would be stored. */
  const isRight = (doubts: readonly [string, Message][]) =>
    confirm({
      title: 'vitals.doubtfulTitle',
      text: {
        text: doubts
          .map(([name, doubt]) => `${say(`vitals.${name as 'weight_kg'}`)}: ${say(doubt)}`)
          .join(' '),
      },
      action: 'vitals.saveAnyway',
    })

  // heads are measured below five years; one that was recorded can be corrected at any age
  const isAsked = (measure: Entered) =>
    measure !== 'head_circumference_cm' || isSmallChild || typeof vital?.[measure] === 'number'
  const openChoices = visits.map((visit) => ({
    value: visit.id,
    label: `${format.dateTime(visit.check_in_timestamp, {
      dateStyle: 'medium',
      timeStyle: 'short',
    })} · ${visit.clinic}`,
  }))
  const clinicId = visits.find((visit) => visit.id === visitId)?.clinic_id ?? earlier?.clinic_id
  const visitChoices = earlier
    ? [
        {
          value: newVisit.id,
          label: say({ key: 'visits.newToday', values: { clinic: earlier.clinic } }),
        },
        ...openChoices,
      ]
    : openChoices
  return (
    <RecordDialog
      title={vital ? 'vitals.edit' : 'vitals.add'}
      fields={vitalFields(units)}
      record={vital && { ...asTyped(vital), id: vital.id, last_modified: vital.last_modified }}
      between={betweenMeasures}
      ownFields={['timestamp']}
      onTakeNewest={takeStored}
      onSave={save}
      saved={() => 'vitals.savedDone'}
      onSaved={() => void sayMarks()}
      onClose={onClose}
    >
      {(Field) => (
        <>
          <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
            {ENTERED.filter(isAsked).map((measure) => (
              <Stack key={measure} gap={4}>
                <Field name={measure} />
                {measure in VITAL_INPUT_UNITS && (
                  <SegmentedControl
                    size="xs"
                    aria-label={say({
                      key: 'vitals.unitOf',
                      values: { measure: say(`vitals.${measure}`) },
                    })}
                    value={
                      units[measure as WithUnits] ?? VITAL_INPUT_UNITS[measure as WithUnits][0]
                    }
                    onChange={(unit) => chooseUnit(measure as WithUnits, unit)}
                    data={VITAL_INPUT_UNITS[measure as WithUnits].map((unit) => ({
                      value: unit,
                      label: say(unitKey(unit)),
                    }))}
                  />
                )}
              </Stack>
            ))}
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <Field name="bp_position" />
            {isSmallChild && <Field name="height_position" />}
            <MomentInput
              name="timestamp"
              label="vitals.when"
              value={when}
              onChange={setWhen}
              notice={meanwhile}
            />
            {!vital && visits.length > 0 && (
              <PickList
                label={say('visits.which')}
                data={visitChoices}
                value={visitId}
                onChange={setChosen}
                placeholder={say('visits.outside')}
                clearable
                clearButtonProps={{ 'aria-label': say('common.clear') }}
              />
            )}
          </SimpleGrid>
          {clinicId && <ClosedReports clinicId={clinicId} day={when.slice(0, 10)} />}
          <Group>
            <Text size="xs" c="dimmed">
              {say('vitals.bmiComputed')}
            </Text>
          </Group>
        </>
      )}
    </RecordDialog>
  )
}

const enteredUnits = ({ entered }: Vital): Units =>
  Object.fromEntries(Object.entries(entered).map(([measure, { unit }]) => [measure, unit]))

/**
 * The row as it is stored now, unless another user has stored it in other units meanwhile: what is typed in the open
 * dialog is in those that it began with, and its save is refused.
 */
export const keptInUnits = (row: Vital, newest = row): Vital =>
  JSON.stringify(enteredUnits(newest)) === JSON.stringify(enteredUnits(row)) ? newest : row

/** As it was typed, where that was in another unit. */
function asTyped(vital: Vital) {
  const typed = Object.fromEntries(
    ENTERED.map((measure) => [measure, vital.entered[measure]?.value ?? vital[measure]]),
  )
  return {
    ...(typed as Record<Entered, number | null>),
    bp_position: vital.bp_position as 'sitting' | null,
    height_position: vital.height_position,
  }
}
