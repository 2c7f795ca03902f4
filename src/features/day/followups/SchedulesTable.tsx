import { SimpleGrid, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { CancelButton } from '~/ui/CancelButton'
import { toast } from '~/ui/toast'
import { api } from '~/client/api'
import { programName } from '~/features/care/programs/programs'
import { ProgramName } from '~/features/care/programs/Program'
import {
  type ScheduleOption,
  type ScheduleVersion,
  SCHEDULE_VERSIONS,
} from '~/features/care/programs/schedule'
import { boolean, type Field, number, select } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { useSay, useLanguage } from '~/shared/say'
import { type Column, Nothing } from '~/ui/columns'
import { DataTable } from '~/ui/DataTable'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { refreshedRow } from '~/ui/newest'
import { editAction, rowMenu } from '~/ui/rowMenu'
import type { ListedSchedule } from './schedules.server'
import { useStepName } from '~/features/care/programs/StepName'

type Row = Omit<ListedSchedule, 'id'> & { id: string }

/** The schedule of each program; the days are edited in a dialog. */
export function SchedulesTable({ schedules }: { schedules: readonly ListedSchedule[] }) {
  const [editing, setEditing] = useState<Row | null>(null)
  const language = useLanguage()
  const stepName = useStepName()
  const rows = schedules.map((schedule) => ({ ...schedule, id: schedule.code }))
  const columns: Column<Row>[] = [
    {
      key: 'program',
      label: 'followups.program',
      cell: ({ program }) => <ProgramName code={program} />,
    },
    {
      key: 'steps',
      label: 'followups.steps',
      cell: ({ steps, switched_on }) => (
        <Text size="sm" maw="34rem">
          {steps
            .filter(({ option }) => option === undefined || switched_on?.[option])
            .map(({ code }) => stepName(code))
            .join(' · ')}
        </Text>
      ),
    },
    {
      key: 'dueBefore',
      label: 'followups.dueBefore',
      align: 'end',
      cell: ({ due_before }) => due_before,
    },
    { key: 'grace', label: 'followups.grace', align: 'end', cell: ({ grace }) => grace },
    {
      key: 'lost',
      label: 'followups.lostMonths',
      align: 'end',
      cell: ({ lost }) => lost?.months ?? <Nothing />,
    },
  ]
  return (
    <>
      <DataTable
        label="followups.schedules"
        columns={columns}
        rows={rows}
        empty="followups.noSchedule"
        nameOf={({ program }) => programName(program, language)}
        actions={rowMenu<Row>([editAction(setEditing)])}
      />
      {editing && (
        <ScheduleDialog schedule={refreshedRow(rows, editing)} onClose={() => setEditing(null)} />
      )}
    </>
  )
}

const STEP = 'step_'

function ScheduleDialog({ schedule, onClose }: { schedule: Row; onClose: () => void }) {
  const say = useSay()
  const router = useRouter()
  const stepName = useStepName()
  const language = useLanguage()
  const { lost, version } = schedule
  const isOn = (option: ScheduleOption | undefined) =>
    option === undefined || schedule.switched_on?.[option] !== undefined
  const steps = schedule.steps.filter(({ option }) => isOn(option))
  const whole = (field: ReturnType<typeof number>) => ({
    ...field,
    schema: field.schema.int('followups.daysRange'),
  })
  const fields: Record<string, Field> = {
    ...(version && {
      version: select(
        'followups.version',
        SCHEDULE_VERSIONS,
        (one): MessageKey => `followups.version_${one}`,
        { hint: 'followups.versionHint' },
      ),
      boosters: boolean('followups.boosters', { hint: 'followups.switchHint' }),
      hpv_doses: select(
        'followups.hpv',
        ['0', '1', '2'] as const,
        (doses): MessageKey => `followups.hpv_${doses}`,
        { hint: 'followups.switchHint' },
      ),
    }),
    due_before: whole(number('followups.dueBefore', { min: 0, max: 60 })),
    grace: whole(number('followups.grace', { min: 0, max: 60 })),
    ...(lost && { lost_months: whole(number('followups.lostMonths', { min: 1, max: 60 })) }),
    ...Object.fromEntries(
      steps.map((step) => [
        `${STEP}${step.code}`,
        {
          ...whole(number('followups.steps', { min: 0, max: 2000 })),
          label: {
            key: step.months === undefined ? 'followups.stepDays' : 'followups.stepMonths',
            values: { step: stepName(step.code) },
          },
        } satisfies Field,
      ]),
    ),
  }
  const values = {
    ...(version && {
      version,
      boosters: isOn('boosters'),
      hpv_doses: isOn('hpv') ? String(schedule.hpv_doses ?? 1) : '0',
    }),
    due_before: schedule.due_before,
    grace: schedule.grace,
    lost_months: lost?.months ?? null,
    ...Object.fromEntries(
      steps.map((step) => [`${STEP}${step.code}`, step.months ?? step.days ?? 0]),
    ),
  }
  return (
    <Dialog
      onClose={onClose}
      size="lg"
      title={say({
        key: 'followups.editSchedule',
        values: { program: programName(schedule.program, language) },
      })}
    >
      <FieldForm
        fields={fields}
        values={values}
        submit="common.save"
        cancel={<CancelButton onClick={onClose} />}
        onSubmit={async (given) => {
          const numbers = given as Record<string, number>
          await api.followUpSchedules.save({
            code: schedule.code,
            last_modified: schedule.last_modified,
            due_before: numbers['due_before']!,
            grace: numbers['grace']!,
            lost_months: lost ? numbers['lost_months']! : null,
            ...(version && {
              version: given['version'] as ScheduleVersion,
              boosters: given['boosters'] as boolean,
              hpv_doses: Number(given['hpv_doses']) as 0 | 1 | 2,
            }),
            steps: Object.fromEntries(steps.map(({ code }) => [code, numbers[`${STEP}${code}`]!])),
          })
          await router.invalidate()
          toast.success(say('common.saved'))
          onClose()
        }}
      >
        {(Field) => (
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {Object.keys(fields).map((name) => (
              <Field key={name} name={name} />
            ))}
          </SimpleGrid>
        )}
      </FieldForm>
    </Dialog>
  )
}
