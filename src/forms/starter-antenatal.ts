import {
  advice,
  allOf,
  anyOf,
  bloodPressure,
  choice,
  choices,
  day,
  emergency,
  from,
  heading,
  longText,
  medicines,
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
import {
  hasProtein,
  isHigh,
  isSevere,
  protein,
  severeAnaemia,
  severePressure,
} from './starter-pregnancy'

// the pregnancy may have reached this week: without a date that can be counted from, nothing is hidden
const fromWeek = (weeks: number) =>
  anyOf(when('weeks', 'atLeast', weeks), when('weeks', 'notAnswered'))
// ACOG Practice Bulletin 222 (2020): 140/90 after 20 weeks with protein, or with a severe feature such as headache or pain
const ofPreeclampsia = allOf(
  anyOf(hasProtein, oneOf('danger', 'headache', 'abdominal_pain')),
  fromWeek(20),
)

/** WHO recommendations on antenatal care for a positive pregnancy experience (2016), and as rules in WHO SMART guidelines, smart-anc. Haemoglobin: WHO guideline on cutoffs to define anaemia (2024). Fetal heart rate: FIGO consensus on intrapartum monitoring (2015). */
export const antenatal = starter(
  'antenatal-visit',
  ['Antenatal visit', 'زيارة متابعة الحمل', 'Control prenatal'],
  [
    'Assessment at each visit during pregnancy.',
    'التقييم في كل زيارة خلال الحمل.',
    'Evaluación en cada consulta durante el embarazo.',
  ],
  [
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
    day(
      'scan_day',
      [
        'Date of the first ultrasound',
        'تاريخ أول تصوير بالأمواج فوق الصوتية',
        'Fecha de la primera ecografía',
      ],
      { days: 'past' },
    ),
    number(
      'scan_weeks',
      [
        'Weeks found by that ultrasound',
        'عمر الحمل بالأسابيع في ذلك التصوير',
        'Semanas según esa ecografía',
      ],
      {
        hint: [
          'Below 24 weeks, the ultrasound goes before the last period.',
          'قبل 24 أسبوعًا يُعتمد التصوير قبل آخر دورة شهرية.',
          'Antes de las 24 semanas, la ecografía prevalece sobre la última menstruación.',
        ],
        limits: { min: 4, max: 45 },
      },
    ),
    number(
      'weeks',
      ['Gestational age (weeks)', 'عمر الحمل (أسابيع)', 'Edad gestacional (semanas)'],
      {
        compute: from('gestationalWeeks', ['lmp', 'scan_day', 'scan_weeks']),
      },
    ),
    day('due', ['Estimated due date', 'موعد الولادة المتوقع', 'Fecha probable de parto'], {
      compute: from('dueDate', ['lmp', 'scan_day', 'scan_weeks']),
    }),
    // WHO antenatal care 2016, B.2.4
    advice(
      'undated',
      when('weeks', 'notAnswered'),
      'Gestational age not known: check the date of the last period, measure the fundal height and arrange an ultrasound before 24 weeks if possible.',
      'عمر الحمل غير معروف: التحقق من تاريخ آخر دورة، وقياس ارتفاع قاع الرحم، وترتيب تصوير قبل 24 أسبوعًا إن أمكن.',
      'Edad gestacional desconocida: revise la fecha de la última menstruación, mida la altura uterina y solicite una ecografía antes de las 24 semanas si es posible.',
    ),
    number(
      'gravida',
      [
        'Number of pregnancies (including this one)',
        'عدد مرات الحمل (بما فيها هذا الحمل)',
        'Número de embarazos (incluido el actual)',
      ],
      {
        limits: { min: 1, max: 25 },
      },
    ),
    number(
      'para',
      [
        'Number of births after 20 weeks',
        'عدد الولادات بعد 20 أسبوعًا',
        'Número de partos después de las 20 semanas',
      ],
      {
        limits: { min: 0, max: 25 },
      },
    ),
    choices(
      'history',
      ['History', 'السوابق', 'Antecedentes'],
      [
        ['caesarean', 'Previous caesarean section', 'قيصرية سابقة', 'Cesárea previa'],
        [
          'preeclampsia',
          'Previous pre-eclampsia or eclampsia',
          'مقدمات ارتعاج أو ارتعاج سابق',
          'Preeclampsia o eclampsia previa',
        ],
        [
          'bleeding',
          'Previous bleeding after birth',
          'نزف سابق بعد الولادة',
          'Hemorragia posparto previa',
        ],
        ['stillbirth', 'Previous stillbirth', 'إملاص سابق', 'Mortinato previo'],
        ['twins', 'Twins or more in this pregnancy', 'حمل متعدد حاليًا', 'Embarazo múltiple actual'],
        ['hypertension', 'Chronic hypertension', 'ارتفاع ضغط مزمن', 'Hipertensión crónica'],
        ['diabetes', 'Diabetes', 'سكري', 'Diabetes'],
        ['kidney', 'Kidney disease', 'مرض كلوي', 'Enfermedad renal'],
        ['autoimmune', 'Autoimmune disease', 'مرض مناعي ذاتي', 'Enfermedad autoinmune'],
        ['none', 'None of these', 'لا شيء مما سبق', 'Ninguno de los anteriores'],
      ],
    ),
    // smart-anc, ANC.DT.27
    advice(
      'aspirin',
      allOf(
        oneOf(
          'history',
          'preeclampsia',
          'twins',
          'hypertension',
          'diabetes',
          'kidney',
          'autoimmune',
        ),
        fromWeek(12),
      ),
      'Risk of pre-eclampsia: give aspirin 75 mg a day from 12 weeks until birth, unless she cannot take aspirin.',
      'خطر مقدمات الارتعاج: إعطاء الأسبرين 75 ملغ يوميًا من الأسبوع 12 حتى الولادة، ما لم يكن الأسبرين ممنوعًا عليها.',
      'Riesgo de preeclampsia: dé aspirina 75 mg al día desde las 12 semanas hasta el parto, salvo que no pueda tomarla.',
    ),
    choices(
      'danger',
      ['Danger signs', 'علامات الخطر', 'Signos de peligro'],
      [
        ['bleeding', 'Vaginal bleeding', 'نزف مهبلي', 'Sangrado vaginal'],
        [
          'headache',
          'Severe headache or blurred vision',
          'صداع شديد أو تشوّش رؤية',
          'Cefalea intensa o visión borrosa',
        ],
        ['convulsion', 'Convulsion', 'اختلاج (تشنّج)', 'Convulsión'],
        ['abdominal_pain', 'Severe abdominal pain', 'ألم بطني شديد', 'Dolor abdominal intenso'],
        ['fever', 'Fever', 'حمّى', 'Fiebre'],
        [
          'fluid',
          'Leaking fluid from the vagina',
          'نزول ماء من المهبل',
          'Pérdida de líquido por la vagina',
        ],
        [
          'movements',
          'Reduced fetal movement',
          'قلّة حركة الجنين',
          'Disminución de los movimientos fetales',
        ],
        ['breathless', 'Breathing difficulty', 'صعوبة تنفّس', 'Dificultad para respirar'],
      ],
    ),
    emergency(
      'danger_note',
      when('danger', 'answered'),
      'Danger sign: examine now and refer without delay.',
      'علامة خطر: فحص الحامل الآن وإحالتها دون تأخير.',
      'Signo de peligro: examine ahora y derive sin demora.',
    ),
    heading('mother', ['Mother', 'الأم', 'Madre']),
    ...bloodPressure(),
    weight(),
    protein(),
    severePressure(),
    urgent(
      'preeclampsia',
      allOf(isHigh, noneOf(isSevere), ofPreeclampsia),
      'Pre-eclampsia (140/90 or more with protein in the urine, severe headache, blurred vision or severe abdominal pain): refer today.',
      'مقدمات ارتعاج (140/90 أو أكثر مع بروتين في البول أو صداع شديد أو تشوّش رؤية أو ألم بطني شديد): الإحالة اليوم.',
      'Preeclampsia (140/90 o más con proteína en orina, cefalea intensa, visión borrosa o dolor abdominal intenso): derive hoy.',
    ),
    urgent(
      'pressure_note',
      allOf(isHigh, noneOf(isSevere, ofPreeclampsia)),
      'Blood pressure of 140/90 or more: measure again after 15 minutes, test the urine for protein and ask about danger signs.',
      'ضغط الدم 140/90 أو أكثر: إعادة القياس بعد 15 دقيقة، وفحص البروتين في البول، والسؤال عن علامات الخطر.',
      'Presión arterial de 140/90 o más: mida de nuevo a los 15 minutos, busque proteína en la orina y pregunte por signos de peligro.',
    ),
    choice(
      'urine_infection',
      ['Urine infection test', 'فحص التهاب البول', 'Prueba de infección urinaria'],
      TEST_RESULTS,
    ),
    choice(
      'glucose_test',
      ['Blood glucose test', 'فحص سكر الدم', 'Prueba de glucosa'],
      [
        ['normal', 'Normal', 'طبيعي', 'Normal'],
        ['raised', 'Raised', 'مرتفع', 'Elevada'],
        ['not_done', 'Not done', 'لم يُجرَ', 'No realizada'],
      ],
    ),
    choice(
      'blood_group',
      ['Blood group', 'زمرة الدم', 'Grupo sanguíneo'],
      [
        ['A', 'A', 'A', 'A'],
        ['B', 'B', 'B', 'B'],
        ['AB', 'AB', 'AB', 'AB'],
        ['O', 'O', 'O', 'O'],
      ],
    ),
    choice(
      'rhesus',
      ['Rhesus factor', 'عامل الريسوس (Rh)', 'Factor Rh'],
      [
        ['positive', 'Positive', 'إيجابي', 'Positivo'],
        ['negative', 'Negative', 'سلبي', 'Negativo'],
      ],
    ),
    number('haemoglobin', ['Haemoglobin (g/dL)', 'الهيموغلوبين (غ/دل)', 'Hemoglobina (g/dL)'], {
      limits: { min: 2, max: 25 },
    }),
    severeAnaemia(),
    // WHO 2024: below 11.0 in the first and third trimester, below 10.5 in the second; not known counts as the first
    advice(
      'anaemia',
      allOf(
        when('haemoglobin', 'atLeast', 7),
        anyOf(
          when('haemoglobin', 'lessThan', 10.5),
          allOf(
            when('haemoglobin', 'lessThan', 11),
            anyOf(when('weeks', 'lessThan', 13), fromWeek(28)),
          ),
        ),
      ),
      'Anaemia (below 11 g/dL, from 13 to 27 weeks below 10.5): give treatment doses of iron with folic acid, look for the cause and test again.',
      'فقر دم (أقل من 11 غ/دل، ومن الأسبوع 13 إلى 27 أقل من 10.5): إعطاء جرعات علاجية من الحديد مع حمض الفوليك، والبحث عن السبب، وإعادة الفحص.',
      'Anemia (menos de 11 g/dL; de las 13 a las 27 semanas, menos de 10.5): dé hierro en dosis de tratamiento con ácido fólico, busque la causa y repita la prueba.',
    ),
    choice('hiv', ['HIV test', 'فحص فيروس نقص المناعة (HIV)', 'Prueba de VIH'], TEST_RESULTS),
    choice('syphilis', ['Syphilis test', 'فحص الزهري', 'Prueba de sífilis'], TEST_RESULTS),
    choice(
      'hepatitis',
      ['Hepatitis B test', 'فحص التهاب الكبد ب', 'Prueba de hepatitis B'],
      TEST_RESULTS,
    ),
    // WHO guidelines on the treatment of syphilis (2016), recommendations 3 and 4
    urgent(
      'syphilis_note',
      when('syphilis', 'is', 'positive'),
      'Syphilis test positive: give benzathine benzylpenicillin 2.4 million units into the muscle today, and treat her partner. Allergy to penicillin: refer.',
      'فحص الزهري إيجابي: إعطاء بنزاثين بنزيل بنسلين 2.4 مليون وحدة في العضل اليوم، وعلاج الشريك. حساسية من البنسلين: الإحالة.',
      'Prueba de sífilis positiva: dé bencilpenicilina benzatínica 2.4 millones de unidades intramuscular hoy y trate a la pareja. Alergia a la penicilina: derive.',
    ),
    // WHO, rapid initiation of antiretroviral therapy (2017), chapter 3: offered to everyone with a confirmed diagnosis, on the
    // same day to those ready to start: https://www.ncbi.nlm.nih.gov/books/NBK475972/
    urgent(
      'hiv_note',
      when('hiv', 'is', 'positive'),
      'HIV test positive: confirm, and begin antiretroviral treatment today if she is ready.',
      'فحص فيروس نقص المناعة (HIV) إيجابي: التأكيد وبدء العلاج بمضادات الفيروس اليوم إذا كانت مستعدة.',
      'Prueba de VIH positiva: confirme e inicie el tratamiento antirretroviral hoy si ella está lista.',
    ),
    heading('baby', ['Baby', 'الجنين', 'Bebé'], { showIf: fromWeek(12) }),
    number('fundal', ['Fundal height', 'ارتفاع قاع الرحم', 'Altura uterina'], {
      unit: 'cm',
      limits: { min: 5, max: 60 },
      showIf: fromWeek(20),
    }),
    number('heart', ['Fetal heart rate', 'نبض الجنين', 'Frecuencia cardíaca fetal'], {
      unit: 'BPM',
      limits: { min: 30, max: 260 },
      normal: { min: 110, max: 160 },
      showIf: fromWeek(12),
    }),
    urgent(
      'heart_note',
      anyOf(when('heart', 'lessThan', 110), when('heart', 'moreThan', 160)),
      'Fetal heart rate outside 110–160: count again for a full minute; if confirmed, refer today.',
      'نبض الجنين خارج 110–160: العدّ مرة أخرى دقيقة كاملة؛ وإذا تأكّد، الإحالة اليوم.',
      'Frecuencia cardíaca fetal fuera de 110–160: cuente de nuevo un minuto completo; si se confirma, derive hoy.',
    ),
    choice(
      'presentation',
      ['Presentation', 'المجيء', 'Presentación'],
      [
        ['head', 'Cephalic', 'رأسي', 'Cefálica'],
        ['breech', 'Breech', 'مقعدي', 'Podálica'],
        ['transverse', 'Transverse', 'معترض', 'Transversa'],
        ['unsure', 'Not sure', 'غير مؤكّد', 'No se sabe'],
      ],
      { showIf: fromWeek(36) },
    ),
    heading('care', ['Care given', 'الرعاية المقدّمة', 'Atención prestada']),
    choices(
      'given',
      ['Given today', 'أُعطي اليوم', 'Administrado o entregado hoy'],
      [
        ['iron', 'Iron and folic acid', 'حديد وحمض الفوليك', 'Hierro y ácido fólico'],
        ['calcium', 'Calcium', 'كالسيوم', 'Calcio'],
        ['tetanus', 'Tetanus vaccine', 'لقاح الكزاز', 'Vacuna antitetánica'],
        [
          'deworming',
          'Deworming (from 13 weeks)',
          'علاج الديدان (من الأسبوع 13)',
          'Desparasitación (a partir de las 13 semanas)',
        ],
        [
          'iptp',
          'Preventive malaria treatment (from 13 weeks)',
          'علاج وقائي من الملاريا (من الأسبوع 13)',
          'Tratamiento preventivo de la malaria (a partir de las 13 semanas)',
        ],
        ['aspirin', 'Aspirin', 'أسبرين', 'Aspirina'],
        [
          'net',
          'Insecticide-treated bed net',
          'ناموسية معالجة بمبيد الحشرات',
          'Mosquitero tratado con insecticida',
        ],
      ],
    ),
    medicines(),
    yesNo('plan', [
      'Birth plan discussed',
      'نوقشت خطة الولادة',
      'Se conversó sobre el plan de parto',
    ]),
    longText('notes', ['Notes', 'ملاحظات', 'Notas']),
    nextVisit(),
  ],
)
