#!/bin/sh
# slurm_cluster.sh - a Slurm cluster of one node, this machine, on loopback, for tests: slurm_cluster.sh start|slurmd|stop FOLDER
# Everything lies in FOLDER: configuration, state, logs, numbers of processes. Wants root, munged, slurmctld and slurmd.
# `slurmd` starts the node's daemon again, after somebody has killed it.
set -u
what=$1 folder=$2
conf=$folder/slurm.conf

configure() {
    mkdir -p "$folder/state" "$folder/spool" "$folder/log" /run/munge
    chown munge: /run/munge 2>/dev/null
    [ -e /etc/munge/munge.key ] || /usr/sbin/mungekey 2>/dev/null || dd if=/dev/urandom of=/etc/munge/munge.key bs=128 count=1 2>/dev/null
    chown munge: /etc/munge/munge.key && chmod 400 /etc/munge/munge.key
    name=$(hostname -s)
    cat >"$conf" <<END
ClusterName=warpstep
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
GresTypes=gpu
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=1
SlurmdTimeout=15
MinJobAge=60
KillWait=5
NodeName=$name NodeAddr=127.0.0.1 CPUs=2 Gres=gpu:1 State=UNKNOWN
PartitionName=all Nodes=$name Default=YES MaxTime=INFINITE State=UP
END
    echo "Name=gpu Count=1 File=/dev/null" >"$folder/gres.conf"
}

slurmd() { SLURM_CONF=$conf /usr/sbin/slurmd -f "$conf" -N "$(hostname -s)"; }

is_idle() { SLURM_CONF=$conf sinfo -h -o %T 2>/dev/null | grep -qE '^(idle|mixed|allocated)'; }

start() {
    configure
    pgrep -x munged >/dev/null || setpriv --reuid=munge --regid=munge --clear-groups /usr/sbin/munged 2>"$folder/log/munged" ||
        /usr/sbin/munged --force 2>>"$folder/log/munged"
    SLURM_CONF=$conf /usr/sbin/slurmctld -c -f "$conf"
    slurmd
    for _ in $(seq 60); do
        is_idle && return 0
        sleep 0.5
    done
    echo "slurm_cluster: the node does not come up" >&2
    tail -n 5 "$folder/log/"* >&2
    return 1
}

stop() {
    for daemon in slurmd slurmctld; do
        [ -e "$folder/$daemon.pid" ] && kill "$(cat "$folder/$daemon.pid")" 2>/dev/null
    done
    sleep 1
    pkill -x slurmstepd 2>/dev/null
    return 0
}

$what
