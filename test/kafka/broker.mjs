// A Kafka broker of one's own: the jars from Maven, once for each list of them, into the user's cache folder; one process
// on Java in KRaft mode, broker and controller in one, on free loopback ports, with a folder that is removed with it.
// `node test/kafka/broker.mjs` starts one and prints where it listens, until Ctrl+C.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Admin } from "@platformatic/kafka";
import { run } from "../../scripts/support/project.mjs";
import { cacheFolder, end, freePort, ready, start, until } from "../support/processes.mjs";

const VERSION = "4.4.0";
const JAVA = 17;

const dependency = (group, artifact, version) =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>otel-trajectory</groupId>
  <artifactId>kafka</artifactId>
  <version>${VERSION}</version>
  <dependencies>
    ${dependency("org.apache.kafka", "kafka_2.13", VERSION)}
    ${dependency("org.apache.logging.log4j", "log4j-slf4j-impl", "2.25.5")}
  </dependencies>
</project>
`;

/**
 * Kafka's jars, fetched unless they are there.
 *
 * @returns {Promise<{ classpath: string } | { skipped: string }>} `skipped` says what this machine lacks.
 * @throws {Error} with Maven's output where it fails.
 */
export async function kafka() {
  const java = await run("java", ["-version"]);
  const found = Number(/version "(\d+)/.exec(java.output)?.[1] ?? 0);
  if (java.code !== 0 || found < JAVA) return { skipped: `no Java ${JAVA} or newer on this machine` };
  const digest = createHash("sha256").update(POM).digest("hex").slice(0, 8);
  const folder = cacheFolder(`kafka-${VERSION}-${digest}`);
  const classpath = join(folder, "jars", "*");
  if (existsSync(join(folder, "jars"))) return { classpath };
  if ((await run("mvn", ["--version"])).code !== 0) return { skipped: "no Maven on this machine" };

  // Two runs at a time do not meet: each has its own folder, and the jars appear together.
  const work = join(folder, `fetch-${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    writeFileSync(join(work, "pom.xml"), POM);
    const goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory=jars"];
    const { code, output } = await run("mvn", ["--batch-mode", "--quiet", ...goal], { cwd: work });
    if (code !== 0) throw new Error(`Kafka's jars could not be fetched:\n${output}`);
    if (!existsSync(join(folder, "jars"))) renameSync(join(work, "jars"), join(folder, "jars"));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return { classpath };
}

/** A topic that nobody has made is an error; a group is ready at once, and a broker that was killed back soon. */
const properties = ({ port, controller, data }) => `process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:${controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}
log.dirs=${data}
auto.create.topics.enable=false
default.replication.factor=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=3
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=2000
`;

const logging = (file) => `appender.file.type=File
appender.file.name=file
appender.file.fileName=${file}
appender.file.layout.type=PatternLayout
appender.file.layout.pattern=%d %p %m (%c)%n
rootLogger.level=warn
rootLogger.appenderRef.file.ref=file
`;

/** Quick to start and small, rather than quick for days. */
const JVM = ["-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];

/**
 * Starts a broker.
 *
 * @param {string} classpath as {@link kafka} returns it
 * @returns {Promise<Broker>} once it serves clients
 * @throws {Error} with its log where it does not.
 */
export async function startBroker(classpath) {
  const broker = new Broker(classpath, await freePort(), await freePort());
  try {
    await broker.format();
    await broker.start();
  } catch (error) {
    await broker.remove();
    throw error;
  }
  return broker;
}

class Broker {
  #folder = mkdtempSync(join(tmpdir(), "otel-trajectory-kafka-"));
  #java;
  #life;

  constructor(classpath, port, controller) {
    /** Where clients find it: host and port. */
    this.address = `127.0.0.1:${port}`;
    this.#java = [...JVM, `-Dlog4j2.configurationFile=${this.#path("log4j2.properties")}`, "-cp", classpath];
    writeFileSync(this.#path("log4j2.properties"), logging(this.#path("kafka.log")));
    const settings = { port, controller, data: this.#path("data") };
    writeFileSync(this.#path("server.properties"), properties(settings));
    process.on("exit", this.#sweep);
  }

  #path = (name) => join(this.#folder, name);
  #sweep = () => rmSync(this.#folder, { recursive: true, force: true });

  /** What it has logged: warnings and errors. */
  log() {
    return existsSync(this.#path("kafka.log")) ? readFileSync(this.#path("kafka.log"), "utf8") : "";
  }

  async format() {
    const id = ["--cluster-id", "otel-trajectory-kafkaA", "--config", this.#path("server.properties"), "--standalone"];
    const { code, output } = await run("java", [...this.#java, "kafka.tools.StorageTool", "format", ...id]);
    if (code !== 0) throw new Error(`Kafka's storage could not be formatted:\n${output}${this.log()}`);
  }

  /** Starts it on what it has stored, and waits until it serves clients. */
  async start() {
    this.#life = start("Kafka", "java", [...this.#java, "kafka.Kafka", this.#path("server.properties")]);
    const listed = () =>
      this.admin((admin) => admin.listTopics())
        .then(() => true)
        .catch(() => false);
    try {
      await ready(this.#life, listed);
    } catch (error) {
      throw new Error(`${error.message}\n${this.log()}`);
    }
  }

  /** Ends it, cleanly or (SIGKILL) not, and waits; what it has stored stays. */
  end(signal = "SIGTERM") {
    return end(this.#life, signal);
  }

  /** Ends it at once, and removes all that it has stored. */
  async remove() {
    if (this.#life !== undefined) await end(this.#life, "SIGKILL");
    process.off("exit", this.#sweep);
    this.#sweep();
  }

  /** Does something with a client of its own. */
  async admin(task) {
    const admin = new Admin({ clientId: "rig", bootstrapBrokers: [this.address], retries: 0, timeout: 5_000 });
    try {
      return await task(admin);
    } finally {
      await admin.close();
    }
  }

  /** Makes a topic, and waits until clients find it. */
  async createTopic(name, partitions = 1) {
    await this.admin(async (admin) => {
      await admin.createTopics({ topics: [name], partitions, replicas: 1 });
      const known = () =>
        admin.metadata({ topics: [name], forceUpdate: true }).then(
          () => true,
          () => false,
        );
      await until(`topic ${name}`, known, 10);
    });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const jars = await kafka();
  if (jars.skipped !== undefined) console.log(`Skipped: ${jars.skipped}.`);
  else console.log((await startBroker(jars.classpath)).address);
}
