import {
  adherence,
  allOf,
  anyOf,
  choice,
  choices,
  emergency,
  from,
  heading,
  longText,
  medicines,
  nextVisit,
  noneOf,
  number,
  oneOf,
  smoking,
  starter,
  urgent,
  when,
  yesNo,
} from './starter-parts'

const weekly = (id: string, en: string, ar: string, es: string) =>
  choice(
    id,
    [en, ar, es],
    [
      ['1', 'Yes', 'نعم', 'Sí'],
      ['0', 'No', 'لا', 'No'],
    ],
  )

const isAsthma = oneOf('disease', 'asthma', 'both')
const isCopd = when('disease', 'is', 'copd')
const isSevere = allOf(
  isAsthma,
  anyOf(when('saturation', 'lessThan', 90), when('percent', 'atMost', 50)),
)

/**
 * Symptom control: GINA, Global Strategy for Asthma (2023), box 2-2: four questions on the past 4 weeks, none well, 1-2 partly,
 * 3-4 uncontrolled; no treatment with a short-acting reliever alone since 2019 (the same). A severe attack: peak flow at or
 * below 50 % of the best (Royal College of Physicians, table of severity, 33-50 %:
 * https://www.rcpjournals.org/highwire/markup/13421/expansion) or oxygen saturation below 90 % (Crit Care 2002, table 2:
 * https://ccforum.biomedcentral.com/articles/10.1186/cc1451/tables/2). Oxygen in COPD: target 88-92 % (BTS guideline for
 * oxygen use, 2017; NEWS2 scale 2). Breathlessness: modified MRC scale (GOLD 2023).
 */
export const airways = starter(
  'asthma-copd-follow-up',
  [
    'Asthma and COPD follow-up',
    'متابعة الربو والداء الرئوي الانسدادي المزمن',
    'Control de asma y EPOC',
  ],
  [
    'Symptom control, inhalers and attacks.',
    'ضبط الأعراض والبخّاخات والنوبات.',
    'Control de síntomas, inhaladores y crisis.',
  ],
  [
    choice(
      'disease',
      ['Condition', 'المرض', 'Enfermedad'],
      [
        ['asthma', 'Asthma', 'ربو', 'Asma'],
        ['copd', 'COPD', 'داء رئوي انسدادي مزمن (COPD)', 'EPOC'],
        ['both', 'Both, or not sure', 'كلاهما أو غير مؤكّد', 'Ambas, o no se sabe'],
      ],
      { required: true },
    ),
    heading(
      'control_heading',
      ['In the past 4 weeks', 'خلال الأسابيع الأربعة الماضية', 'En las últimas 4 semanas'],
      {
        showIf: when('disease', 'isNot', 'copd'),
      },
    ),
    ...[
      weekly(
        'day',
        'Daytime symptoms more than twice a week',
        'أعراض نهارية أكثر من مرتين أسبوعيًا',
        'Síntomas diurnos más de dos veces por semana',
      ),
      weekly(
        'night',
        'Night waking due to asthma',
        'استيقاظ ليلي بسبب الربو',
        'Despertares nocturnos por asma',
      ),
      weekly(
        'reliever',
        'Reliever needed more than twice a week',
        'حاجة إلى البخّاخ المسعف أكثر من مرتين أسبوعيًا',
        'Necesitó inhalador de rescate más de dos veces por semana',
      ),
      weekly(
        'limits',
        'Activity limited by asthma',
        'محدودية النشاط بسبب الربو',
        'Actividad limitada por el asma',
      ),
    ].map(({ field, translation }) => ({
      field: { ...field, rules: { showIf: when('disease', 'isNot', 'copd') } },
      translation,
    })),
    number(
      'control',
      [
        'Symptom score (0 well controlled, 1–2 partly controlled, 3–4 uncontrolled)',
        'درجة الأعراض (0 مضبوط، من 1 إلى 2 مضبوط جزئيًا، من 3 إلى 4 غير مضبوط)',
        'Puntuación de síntomas (0 bien controlada, 1–2 parcialmente controlada, 3–4 no controlada)',
      ],
      {
        normal: { max: 0 },
        showIf: when('disease', 'isNot', 'copd'),
        compute: from('sum', ['day', 'night', 'reliever', 'limits']),
      },
    ),
    urgent(
      'uncontrolled',
      when('control', 'atLeast', 3),
      'Uncontrolled asthma (3–4): check inhaler technique, adherence and triggers, step up treatment and see again within weeks.',
      'ربو غير مضبوط (من 3 إلى 4): مراجعة طريقة استخدام البخّاخ والالتزام والمحرّضات، وزيادة العلاج، والمراجعة خلال أسابيع.',
      'Asma no controlada (3–4): revise la técnica inhalatoria, la adherencia y los desencadenantes, intensifique el tratamiento y vuelva a verlo en pocas semanas.',
    ),
    choice(
      'breathless',
      ['Breathlessness', 'ضيق التنفّس', 'Disnea'],
      [
        ['0', 'Only with strenuous exercise', 'عند الجهد الشديد فقط', 'Solo con ejercicio intenso'],
        [
          '1',
          'When hurrying or walking uphill',
          'عند الإسراع أو الصعود',
          'Al apresurarse o subir una pendiente',
        ],
        [
          '2',
          'Walks slower than people of the same age',
          'مشي أبطأ من الناس في العمر نفسه',
          'Camina más lento que las personas de su edad',
        ],
        [
          '3',
          'Stops for breath after about 100 metres',
          'توقف لالتقاط النفس بعد نحو 100 متر',
          'Se detiene a tomar aire después de unos 100 metros',
        ],
        [
          '4',
          'Too breathless to leave the house',
          'ضيق نفس شديد يمنع مغادرة المنزل',
          'Le falta tanto el aire que no puede salir de casa',
        ],
      ],
      { showIf: when('disease', 'isNot', 'asthma') },
    ),
    number(
      'attacks',
      [
        'Attacks needing oral steroids or hospital care, past 12 months',
        'نوبات احتاجت إلى ستيرويدات فموية أو رعاية في مستشفى، خلال 12 شهرًا الماضية',
        'Crisis que requirieron corticoides orales o atención hospitalaria, últimos 12 meses',
      ],
      { limits: { min: 0, max: 100 }, normal: { max: 0 } },
    ),
    number('saturation', ['Oxygen saturation', 'تشبّع الأكسجين', 'Saturación de oxígeno'], {
      unit: '%',
      vital: 'oxygen_saturation',
      limits: { min: 40, max: 100 },
    }),
    yesNo('oxygen', ['Breathing oxygen now', 'يتنفّس الأكسجين الآن', 'Respira oxígeno ahora'], {
      showIf: when('disease', 'isNot', 'asthma'),
    }),
    number(
      'peak',
      ['Peak flow (L/min)', 'ذروة الجريان الزفيري (لتر/دقيقة)', 'Flujo espiratorio máximo (L/min)'],
      {
        limits: { min: 30, max: 900 },
      },
    ),
    number(
      'best',
      [
        'Personal best peak flow (L/min)',
        'أفضل ذروة جريان زفيري (لتر/دقيقة)',
        'Mejor flujo espiratorio máximo personal (L/min)',
      ],
      {
        limits: { min: 30, max: 900 },
      },
    ),
    number(
      'percent',
      [
        'Percent of personal best',
        'النسبة المئوية من أفضل ذروة جريان',
        'Porcentaje del mejor valor personal',
      ],
      {
        unit: '%',
        normal: { min: 80 },
        compute: from('formula', ['peak', 'best'], { formula: 'a / b * 100' }),
      },
    ),
    emergency(
      'severe_note',
      isSevere,
      'Severe attack (oxygen saturation below 90 %, or peak flow at or below half of the best): give oxygen, repeated inhaled reliever and an oral steroid now, and refer.',
      'نوبة شديدة (تشبّع الأكسجين أقل من 90%، أو ذروة الجريان نصف الأفضل أو أقل): إعطاء الأكسجين وبخّاخ مسعف متكرر وستيرويد فموي الآن، والإحالة.',
      'Crisis grave (saturación menor de 90 %, o flujo máximo igual o menor que la mitad del mejor): dé oxígeno, inhalador de rescate repetido y un corticoide oral ahora, y derive.',
    ),
    urgent(
      'low_note',
      allOf(isAsthma, when('saturation', 'lessThan', 94), noneOf(isSevere)),
      'Oxygen saturation of 90–93 %: treat as an attack and measure again after the reliever.',
      'تشبّع الأكسجين 90–93%: العلاج كنوبة وإعادة القياس بعد البخّاخ المسعف.',
      'Saturación de 90–93 %: trate como una crisis y mida de nuevo después del inhalador de rescate.',
    ),
    emergency(
      'copd_low',
      allOf(isCopd, when('saturation', 'lessThan', 88)),
      'COPD with oxygen saturation below 88 %: give controlled oxygen to reach 88–92 %, treat the attack and refer.',
      'داء رئوي انسدادي مزمن مع تشبّع أقل من 88%: إعطاء أكسجين مضبوط للوصول إلى 88–92%، وعلاج النوبة، والإحالة.',
      'EPOC con saturación menor de 88 %: dé oxígeno controlado hasta 88–92 %, trate la crisis y derive.',
    ),
    urgent(
      'copd_high',
      allOf(
        when('disease', 'isNot', 'asthma'),
        when('oxygen', 'is', 'yes'),
        when('saturation', 'moreThan', 92),
      ),
      'COPD on oxygen above 92 %: reduce the oxygen; the target is 88–92 %.',
      'داء رئوي انسدادي مزمن على أكسجين مع تشبّع فوق 92%: خفض الأكسجين؛ الهدف 88–92%.',
      'EPOC con oxígeno y más de 92 %: reduzca el oxígeno; la meta es 88–92 %.',
    ),
    choices(
      'inhalers',
      ['Inhalers', 'البخّاخات', 'Inhaladores'],
      [
        [
          'saba',
          'Short-acting reliever',
          'موسّع قصبات قصير المفعول',
          'Broncodilatador de acción corta (rescate)',
        ],
        ['ics', 'Inhaled steroid', 'ستيرويد استنشاقي', 'Corticoide inhalado'],
        [
          'ics_laba',
          'Inhaled steroid with long-acting bronchodilator',
          'ستيرويد استنشاقي مع موسّع قصبات طويل المفعول',
          'Corticoide inhalado con broncodilatador de acción prolongada',
        ],
        [
          'lama',
          'Long-acting muscarinic antagonist',
          'مضاد موسكاريني طويل المفعول',
          'Antagonista muscarínico de acción prolongada',
        ],
        ['none', 'None', 'لا شيء', 'Ninguno'],
      ],
    ),
    urgent(
      'reliever_alone',
      allOf(isAsthma, when('inhalers', 'is', 'saba'), noneOf(oneOf('inhalers', 'ics', 'ics_laba'))),
      'Asthma treated with a short-acting reliever alone: it does not prevent severe attacks. Add an inhaled steroid.',
      'ربو يُعالج بموسّع قصير المفعول وحده: لا يقي من النوبات الشديدة. إضافة ستيرويد استنشاقي.',
      'Asma tratada solo con broncodilatador de acción corta: no previene las crisis graves. Agregue un corticoide inhalado.',
    ),
    yesNo('technique', [
      'Inhaler technique observed and correct',
      'طريقة استخدام البخّاخ صحيحة (تمت مشاهدتها)',
      'Técnica inhalatoria observada y correcta',
    ]),
    adherence(),
    smoking(),
    choices(
      'triggers',
      ['Triggers', 'المحرّضات', 'Desencadenantes'],
      [
        ['smoke', 'Smoke', 'الدخان', 'Humo'],
        ['dust', 'Dust', 'الغبار', 'Polvo'],
        ['cold', 'Colds', 'الزكام', 'Resfriados'],
        ['exercise', 'Exercise', 'الجهد', 'Ejercicio'],
        ['pollen', 'Pollen', 'غبار الطلع', 'Polen'],
        ['animals', 'Animals', 'الحيوانات', 'Animales'],
        ['work', 'Work', 'العمل', 'Trabajo'],
      ],
    ),
    yesNo('action_plan', [
      'Has a written action plan',
      'توجد خطة عمل مكتوبة',
      'Tiene un plan de acción escrito',
    ]),
    medicines(),
    longText('plan', ['Plan', 'الخطة', 'Plan']),
    nextVisit(),
  ],
)
