import {
  advice,
  allOf,
  anyOf,
  bloodPressure,
  choice,
  choices,
  day,
  emergency,
  heading,
  longText,
  nextVisit,
  noneOf,
  number,
  oneOf,
  starter,
  urgent,
  weight,
  when,
  yesNo,
  TEST_RESULTS,
} from './starter-parts'

const isVeryHigh = anyOf(when('systolic', 'atLeast', 160), when('diastolic', 'atLeast', 100))
const isHigh = anyOf(when('systolic', 'atLeast', 140), when('diastolic', 'atLeast', 90))
const has = (...conditions: string[]) => oneOf('conditions', ...conditions)
const chose = (...methods: string[]) => oneOf('method', ...methods)

/**
 * Medical eligibility: WHO, Medical eligibility criteria for contraceptive use (5th ed., 2015), and with the same numbers CDC,
 * U.S. Medical Eligibility Criteria for Contraceptive Use (2016 and 2024, MMWR 73 RR-4): 4 is not to be used, 3 is usually not
 * to be used. Breastfeeding from 6 weeks to 6 months is 3 for combined methods in WHO's list only (WHO postnatal care 2022,
 * box 3.6: https://www.ncbi.nlm.nih.gov/books/NBK579650/box/ch3.box29/). IUD: not inserted with unexplained bleeding or an
 * infection after birth (https://fphandbook.org/medical-eligibility-criteria-copper-bearing-iuds), nor with a current pelvic
 * infection, 4 (http://www.infoforhealth.org/pr/b7/iuduse.shtml). Not pregnant: the checklist
 * of WHO, Selected practice recommendations (3rd ed., 2016). Emergency contraception: the same, and WHO's fact sheet (2021).
 */
export const familyPlanning = starter(
  'family-planning',
  ['Family planning', 'تنظيم الأسرة', 'Planificación familiar'],
  [
    'Choosing, starting or following up a contraceptive method.',
    'اختيار وسيلة لمنع الحمل أو بدؤها أو متابعتها.',
    'Elección, inicio o seguimiento de un método anticonceptivo.',
  ],
  [
    choice(
      'reason',
      ['Reason for the visit', 'سبب الزيارة', 'Motivo de consulta'],
      [
        ['start', 'Start a method', 'بدء وسيلة', 'Iniciar un método'],
        ['continue', 'Continue method', 'الاستمرار على الوسيلة', 'Continuar el método'],
        ['change', 'Change method', 'تغيير الوسيلة', 'Cambiar de método'],
        ['stop', 'Stop method', 'إيقاف الوسيلة', 'Suspender el método'],
        ['emergency', 'Emergency contraception', 'منع حمل طارئ', 'Anticoncepción de emergencia'],
      ],
      { required: true },
    ),
    day(
      'lmp',
      [
        'First day of last menstrual period',
        'أول يوم من آخر دورة شهرية',
        'Primer día de la última menstruación (FUM)',
      ],
      {
        days: 'past',
      },
    ),
    number('children', ['Living children', 'عدد الأطفال الأحياء', 'Hijos vivos'], {
      limits: { min: 0, max: 25 },
    }),
    choices(
      'not_pregnant',
      [
        'Reasons pregnancy is unlikely',
        'أسباب ترجّح عدم الحمل',
        'Razones por las que el embarazo es poco probable',
      ],
      [
        [
          'period',
          'Period started within the past 7 days',
          'بدأت الدورة خلال آخر 7 أيام',
          'La menstruación empezó en los últimos 7 días',
        ],
        [
          'no_sex',
          'No intercourse since the last period',
          'لا جماع منذ آخر دورة',
          'Sin relaciones sexuales desde la última menstruación',
        ],
        [
          'method',
          'Using a reliable method correctly',
          'استعمال وسيلة موثوقة بشكل صحيح',
          'Usa correctamente un método confiable',
        ],
        [
          'postpartum',
          'Gave birth in the past 4 weeks',
          'ولادة خلال آخر 4 أسابيع',
          'Parto en las últimas 4 semanas',
        ],
        [
          'lactation',
          'Fully breastfeeding, under 6 months after birth, no period',
          'إرضاع كامل، أقل من 6 أشهر بعد الولادة، دون دورة',
          'Lactancia exclusiva, menos de 6 meses desde el parto, sin menstruación',
        ],
        [
          'abortion',
          'Miscarriage or abortion in the past 7 days',
          'إسقاط أو إجهاض خلال آخر 7 أيام',
          'Aborto espontáneo o inducido en los últimos 7 días',
        ],
      ],
      { showIf: anyOf(when('reason', 'is', 'start'), when('reason', 'is', 'change')) },
    ),
    choice(
      'pregnancy_test',
      ['Pregnancy test', 'اختبار الحمل', 'Prueba de embarazo'],
      TEST_RESULTS,
      {
        showIf: when('not_pregnant', 'notAnswered'),
      },
    ),
    number(
      'hours',
      [
        'Hours since unprotected intercourse',
        'عدد الساعات منذ الجماع غير المحمي',
        'Horas desde la relación sin protección',
      ],
      { limits: { min: 0, max: 1000 }, showIf: when('reason', 'is', 'emergency') },
    ),
    urgent(
      'emergency_early',
      when('hours', 'atMost', 120),
      'Within 120 hours: copper IUD (most effective), ulipristal, or levonorgestrel as soon as possible (less effective after 72 hours).',
      'خلال 120 ساعة: اللولب النحاسي (الأكثر فعالية) أو أوليبريستال، أو ليفونورجستريل في أسرع وقت (أقل فعالية بعد 72 ساعة).',
      'En las primeras 120 horas: DIU de cobre (el más eficaz), ulipristal, o levonorgestrel lo antes posible (menos eficaz después de 72 horas).',
    ),
    advice(
      'emergency_late',
      when('hours', 'moreThan', 120),
      'More than 120 hours: emergency contraception is no longer recommended. Test for pregnancy in 3 weeks and offer a regular method.',
      'أكثر من 120 ساعة: لم يعد منع الحمل الطارئ موصى به. اختبار الحمل بعد 3 أسابيع وعرض وسيلة منتظمة.',
      'Más de 120 horas: ya no se recomienda la anticoncepción de emergencia. Haga una prueba de embarazo en 3 semanas y ofrezca un método regular.',
    ),
    heading('safety', [
      'Hormonal method safety',
      'سلامة الوسائل الهرمونية',
      'Seguridad de los métodos hormonales',
    ]),
    choices(
      'conditions',
      ['Conditions present', 'الحالات الموجودة', 'Condiciones presentes'],
      [
        [
          'smoker35',
          'Smokes and is 35 or older',
          'مدخّنة وعمرها 35 أو أكثر',
          'Fuma y tiene 35 años o más',
        ],
        ['hypertension', 'High blood pressure', 'ارتفاع ضغط الدم', 'Presión arterial alta'],
        [
          'clot',
          'History of deep vein thrombosis or pulmonary embolism',
          'خثار وريدي عميق أو صمّة رئوية سابقًا',
          'Antecedente de trombosis venosa profunda o embolia pulmonar',
        ],
        ['heart', 'Heart disease or stroke', 'مرض قلبي أو سكتة دماغية', 'Cardiopatía o ACV'],
        ['migraine', 'Migraine with aura', 'شقيقة مع أورة', 'Migraña con aura'],
        ['breast_now', 'Breast cancer now', 'سرطان ثدي حاليًا', 'Cáncer de mama actual'],
        [
          'breast_past',
          'Past breast cancer, no sign for 5 years',
          'سرطان ثدي سابق دون علامات منذ 5 سنوات',
          'Cáncer de mama previo, sin signos desde hace 5 años',
        ],
        ['liver', 'Severe liver disease', 'مرض كبدي شديد', 'Hepatopatía grave'],
        [
          'breastfeeding6w',
          'Breastfeeding, baby under 6 weeks',
          'إرضاع طفل عمره أقل من 6 أسابيع',
          'Amamanta a un bebé menor de 6 semanas',
        ],
        [
          'breastfeeding6m',
          'Breastfeeding, baby 6 weeks to 6 months',
          'إرضاع طفل عمره من 6 أسابيع إلى 6 أشهر',
          'Amamanta a un bebé de 6 semanas a 6 meses',
        ],
        [
          'bleeding',
          'Unexplained vaginal bleeding',
          'نزف مهبلي غير مفسّر',
          'Sangrado vaginal sin explicación',
        ],
        [
          'pelvic',
          'Pelvic infection now, or infection after birth',
          'التهاب حوضي حاليًا أو إنتان بعد الولادة',
          'Infección pélvica actual, o infección posparto',
        ],
        [
          'inducers',
          'Takes rifampicin or medicines against epilepsy',
          'تتناول ريفامبيسين أو أدوية الصرع',
          'Toma rifampicina o medicamentos para la epilepsia',
        ],
        ['none', 'None of these', 'لا شيء مما سبق', 'Ninguna de las anteriores'],
      ],
    ),
    urgent(
      'breast_now_note',
      has('breast_now'),
      'Breast cancer now: no hormonal method of any kind (pills, injection, implant, hormonal IUD). The copper IUD or condoms can be used.',
      'سرطان ثدي حاليًا: لا تُستعمل أي وسيلة هرمونية (حبوب أو حقنة أو غرسة أو لولب هرموني). يمكن استعمال اللولب النحاسي أو الواقي الذكري.',
      'Cáncer de mama actual: ningún método hormonal (píldoras, inyectable, implante, DIU hormonal). Se pueden usar el DIU de cobre o el condón.',
    ),
    advice(
      'breast_past_note',
      has('breast_past'),
      'Past breast cancer: hormonal methods are usually not used. The copper IUD or condoms can be used.',
      'سرطان ثدي سابق: لا تُستعمل الوسائل الهرمونية عادةً. يمكن استعمال اللولب النحاسي أو الواقي الذكري.',
      'Cáncer de mama previo: por lo general no se usan métodos hormonales. Se pueden usar el DIU de cobre o el condón.',
    ),
    urgent(
      'clot_note',
      has('clot'),
      'Clot in a vein or the lung: no combined pill, patch or ring. For a clot now, progestogen-only methods need a doctor’s decision; the copper IUD can be used.',
      'خثار وريدي أو صمّة رئوية: لا تُستعمل الحبوب المركّبة ولا اللصقة ولا الحلقة. عند وجود خثار حاليًا تحتاج وسائل البروجستوجين وحده إلى قرار طبيب؛ ويمكن استعمال اللولب النحاسي.',
      'Trombosis o embolia pulmonar: sin píldora combinada, parche ni anillo. Con un coágulo actual, los métodos de solo progestágeno requieren decisión médica; se puede usar el DIU de cobre.',
    ),
    urgent(
      'heart_note',
      has('heart'),
      'Heart disease or stroke: no combined pill, patch or ring; the injection is usually not used. Implant and progestogen-only pill need a doctor’s decision; the copper IUD can be used.',
      'مرض قلبي أو سكتة دماغية: لا تُستعمل الحبوب المركّبة ولا اللصقة ولا الحلقة؛ ولا تُستعمل الحقنة عادةً. تحتاج الغرسة وحبوب البروجستوجين إلى قرار طبيب؛ ويمكن استعمال اللولب النحاسي.',
      'Cardiopatía o ACV: sin píldora combinada, parche ni anillo; por lo general sin inyectable. El implante y la píldora de solo progestágeno requieren decisión médica; se puede usar el DIU de cobre.',
    ),
    urgent(
      'migraine_note',
      has('migraine'),
      'Migraine with aura: no combined pill, patch or ring (stroke). Progestogen-only methods and the copper IUD can be used.',
      'شقيقة مع أورة: لا تُستعمل الحبوب المركّبة ولا اللصقة ولا الحلقة (خطر السكتة). يمكن استعمال وسائل البروجستوجين وحده واللولب النحاسي.',
      'Migraña con aura: sin píldora combinada, parche ni anillo (ACV). Se pueden usar métodos de solo progestágeno y el DIU de cobre.',
    ),
    urgent(
      'smoker_note',
      has('smoker35'),
      'Smokes and is 35 or older: combined methods are usually not used, and never with 15 or more cigarettes a day. Progestogen-only methods and the copper IUD can be used.',
      'مدخّنة وعمرها 35 أو أكثر: لا تُستعمل الوسائل المركّبة عادةً، ولا تُستعمل أبدًا مع 15 سيجارة أو أكثر يوميًا. يمكن استعمال وسائل البروجستوجين وحده واللولب النحاسي.',
      'Fuma y tiene 35 años o más: por lo general sin métodos combinados, y nunca con 15 o más cigarrillos al día. Se pueden usar métodos de solo progestágeno y el DIU de cobre.',
    ),
    urgent(
      'liver_note',
      has('liver'),
      'Severe liver disease: no combined methods; other hormonal methods are usually not used. The copper IUD or condoms can be used.',
      'مرض كبدي شديد: لا تُستعمل الوسائل المركّبة؛ ولا تُستعمل الوسائل الهرمونية الأخرى عادةً. يمكن استعمال اللولب النحاسي أو الواقي الذكري.',
      'Hepatopatía grave: sin métodos combinados; por lo general tampoco otros hormonales. Se pueden usar el DIU de cobre o el condón.',
    ),
    urgent(
      'breastfeeding6w_note',
      has('breastfeeding6w'),
      'Breastfeeding, baby under 6 weeks: no combined methods; the injection usually only from 6 weeks.',
      'إرضاع طفل دون 6 أسابيع: لا تُستعمل الوسائل المركّبة؛ ولا تُعطى الحقنة عادةً إلا بعد إتمام 6 أسابيع من الولادة.',
      'Amamanta a un bebé menor de 6 semanas: sin métodos combinados; el inyectable, por lo general, solo desde las 6 semanas.',
    ),
    advice(
      'breastfeeding6m_note',
      has('breastfeeding6m'),
      'Breastfeeding, baby 6 weeks to 6 months: combined methods are usually not used; progestogen-only methods and IUDs can be used.',
      'إرضاع طفل من 6 أسابيع إلى 6 أشهر: لا تُستعمل الوسائل المركّبة عادةً؛ ويمكن استعمال وسائل البروجستوجين وحده واللولب.',
      'Amamanta a un bebé de 6 semanas a 6 meses: por lo general sin métodos combinados; se pueden usar los de solo progestágeno y los DIU.',
    ),
    urgent(
      'bleeding_note',
      has('bleeding'),
      'Unexplained bleeding: find the cause first. Do not insert an IUD; the injection and the implant are usually not used before that.',
      'نزف غير مفسّر: البحث عن السبب أولًا. عدم تركيب لولب؛ ولا تُستعمل الحقنة والغرسة عادةً قبل ذلك.',
      'Sangrado sin explicación: busque primero la causa. No coloque un DIU; por lo general sin inyectable ni implante antes de eso.',
    ),
    urgent(
      'pelvic_note',
      has('pelvic'),
      'Pelvic infection: treat it; do not insert an IUD until it is cured.',
      'التهاب حوضي: علاجه؛ وعدم تركيب لولب قبل الشفاء.',
      'Infección pélvica: trátela; no coloque un DIU hasta que se cure.',
    ),
    advice(
      'inducers_note',
      has('inducers'),
      'Rifampicin or medicines against epilepsy: pills (combined or progestogen-only) may fail and are usually not used, and the implant may be less effective. The injection and IUDs can be used.',
      'ريفامبيسين أو أدوية الصرع: قد تفشل الحبوب (المركّبة أو البروجستوجين) ولا تُستعمل عادةً، وقد تقل فعالية الغرسة. يمكن استعمال الحقنة واللولب.',
      'Rifampicina o medicamentos para la epilepsia: las píldoras (combinadas o de solo progestágeno) pueden fallar y por lo general no se usan; el implante puede ser menos eficaz. Se pueden usar el inyectable y los DIU.',
    ),
    ...bloodPressure(),
    urgent(
      'pressure_very_high',
      isVeryHigh,
      'Blood pressure of 160/100 or more: no combined pill, patch or ring; the injection is usually not used. Measure again and treat the blood pressure.',
      'ضغط الدم 160/100 أو أكثر: لا تُستعمل الحبوب المركّبة ولا اللصقة ولا الحلقة؛ ولا تُستعمل الحقنة عادةً. إعادة القياس وعلاج الضغط.',
      'Presión arterial de 160/100 o más: sin píldora combinada, parche ni anillo; por lo general sin inyectable. Mida de nuevo y trate la presión.',
    ),
    advice(
      'pressure_high',
      allOf(anyOf(isHigh, has('hypertension')), noneOf(isVeryHigh)),
      'High blood pressure, measured or known: combined methods are usually not used. Progestogen-only methods and the copper IUD can be used.',
      'ارتفاع ضغط الدم، مقيس أو معروف: لا تُستعمل الوسائل المركّبة عادةً. يمكن استعمال وسائل البروجستوجين وحده واللولب النحاسي.',
      'Presión arterial alta, medida o conocida: por lo general sin métodos combinados. Se pueden usar métodos de solo progestágeno y el DIU de cobre.',
    ),
    weight(),
    heading('method_heading', ['Method', 'الوسيلة', 'Método']),
    choice(
      'method',
      ['Method chosen', 'الوسيلة المختارة', 'Método elegido'],
      [
        ['combined', 'Combined pill', 'حبوب مركّبة', 'Píldora combinada'],
        [
          'progestogen',
          'Progestogen-only pill',
          'حبوب البروجستوجين',
          'Píldora de solo progestágeno',
        ],
        ['injection', 'Injectable', 'حقنة', 'Inyectable'],
        ['implant', 'Implant', 'غرسة', 'Implante'],
        ['copper', 'Copper IUD', 'لولب نحاسي', 'DIU de cobre'],
        ['hormonal', 'Hormonal IUD', 'لولب هرموني', 'DIU hormonal'],
        ['condom', 'Condoms', 'واقٍ ذكري', 'Condón'],
        [
          'natural',
          'Fertility awareness',
          'مراقبة الخصوبة',
          'Métodos basados en el conocimiento de la fertilidad',
        ],
        ['permanent', 'Sterilization', 'تعقيم دائم', 'Esterilización'],
        ['none', 'None at present', 'لا شيء حاليًا', 'Ninguno por ahora'],
      ],
    ),
    emergency(
      'method_note',
      anyOf(
        allOf(
          chose('combined'),
          anyOf(has('clot', 'heart', 'migraine', 'liver', 'breastfeeding6w'), isVeryHigh),
        ),
        allOf(
          chose('combined', 'progestogen', 'injection', 'implant', 'hormonal'),
          has('breast_now'),
        ),
        allOf(chose('copper', 'hormonal'), has('bleeding', 'pelvic')),
      ),
      'The method chosen must not be used with a condition ticked above or with this blood pressure: choose another.',
      'الوسيلة المختارة ممنوعة مع إحدى الحالات المحددة أعلاه أو مع ضغط الدم هذا: اختيار وسيلة أخرى.',
      'El método elegido no debe usarse con una condición marcada arriba o con esta presión arterial: elija otro.',
    ),
    choices(
      'side_effects',
      ['Side effects', 'آثار جانبية', 'Efectos secundarios'],
      [
        ['bleeding', 'Irregular bleeding', 'نزف غير منتظم', 'Sangrado irregular'],
        ['headache', 'Headache', 'صداع', 'Dolor de cabeza'],
        ['nausea', 'Nausea', 'غثيان', 'Náuseas'],
        ['weight', 'Weight change', 'تغيّر الوزن', 'Cambio de peso'],
        ['mood', 'Mood change', 'تغيّر المزاج', 'Cambios de ánimo'],
      ],
      {
        showIf: anyOf(
          when('reason', 'is', 'continue'),
          when('reason', 'is', 'change'),
          when('reason', 'is', 'stop'),
        ),
      },
    ),
    yesNo('counselled', [
      'Use, side effects and warning signs explained',
      'شُرح الاستعمال والآثار الجانبية وعلامات التحذير',
      'Se explicaron el uso, los efectos secundarios y los signos de alarma',
    ]),
    longText('notes', ['Notes', 'ملاحظات', 'Notas']),
    nextVisit(),
  ],
)
